// The treemap: a directory on a canvas, with the outlines of the current boxes on a second canvas above.
//
// It knows only boxes and their places. Its listener handles what they mean to the page.

import type { Branches, Colours } from "../data/colour";
import { isWithin, type Path } from "../data/path";
import {
  type Box,
  boxAt,
  type Direction,
  LayoutMemory,
  layOut,
  type MapNode,
  neighbour,
  type Rect,
  type Scene,
} from "./layout";
import { between, type Morph, type Moving, morphOf } from "./morph";
import { fullLight, type Light, Painter, type Palette } from "./painter";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface TreemapListener {
  /** The pointer is on the box, or on no box. */
  pointed(box: Box | undefined, at: Point): void;
  /** The user selects the box by a click or a key, or clears the selection. */
  chosen(box: Box | undefined, at: Point, byKey: boolean): void;
  /** The user opens that directory, and selects the entry in it. */
  opened(directory: Path, entry: Path | undefined): void;
  /** The user puts the entry into the plan, or takes it out. */
  planned(path: Path): void;
  /** The user asks for the menu of the box. */
  menu(box: Box, at: Point): void;
  /** The boxes start or stop moving. */
  moves(moving: boolean): void;
  /** The size of the treemap has changed. */
  resized(): void;
}

/** What is marked in the treemap. */
export interface Marks {
  readonly pointed: Path | undefined;
  readonly chosen: Path | undefined;
  readonly planned: ReadonlySet<Path>;
}

const duration = 380; // ms
const arrows: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** Eases in and out. */
function eased(t: number): number {
  return t < 0.5 ? 4 * t ** 3 : 1 - (2 - 2 * t) ** 3 / 2;
}

const stillness = window.matchMedia("(prefers-reduced-motion: reduce)");

export class Treemap {
  private readonly context: CanvasRenderingContext2D;
  private readonly overlay: CanvasRenderingContext2D;
  private painter: Painter | undefined;
  private palette: Palette | undefined;
  private colours: Colours | undefined;
  private light: Light = fullLight;

  private root: MapNode | undefined;
  private scene: Scene | undefined;
  private previous: Scene | undefined; // during the morph
  private morph: Morph | undefined;
  private progress = 1; // of the morph, eased
  private frame = 0;
  private readonly memory: LayoutMemory;

  private marks: Marks = { pointed: undefined, chosen: undefined, planned: new Set() };
  private size = { width: 0, height: 0 };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    overlay: HTMLCanvasElement,
    branches: Branches,
    private readonly listener: TreemapListener,
  ) {
    this.memory = new LayoutMemory(branches);
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.overlay = overlay.getContext("2d")!;
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement!);
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => listener.pointed(undefined, { x: 0, y: 0 }));
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("dblclick", (event) => this.doubleClick(event));
    canvas.addEventListener("contextmenu", (event) => this.menu(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  get area(): number {
    return this.size.width * this.size.height;
  }

  get width(): number {
    return this.size.width;
  }

  /** The directory on display. */
  get shown(): Path | undefined {
    return this.scene?.root;
  }

  get boxes(): readonly Box[] {
    return this.scene?.boxes ?? [];
  }

  /** Draws with these colours; boxes without light are dimmed. */
  setLook(palette: Palette, colours: Colours, light: Light): void {
    this.palette = palette;
    this.colours = colours;
    this.light = light;
    this.renewPainter();
    this.draw();
  }

  setMarks(marks: Marks): void {
    this.marks = marks;
    this.drawMarks();
  }

  /** Shows the directory; the boxes move from where they are now. */
  show(root: MapNode, path: Path): void {
    this.root = root;
    const next = layOut(root, path, this.size.width, this.size.height, this.memory);
    const old = this.scene;
    const now = this.placesNow();
    this.morph = morphOf(old, (at) => now[at]!, next);
    this.previous = old;
    this.scene = next;
    const visible = old !== undefined && old.boxes.length > 0 && !stillness.matches;
    if (visible) this.renewPainter();
    this.run(visible ? duration : 0);
  }

  /** Shows the directory from data at hand. Returns false if there is none. */
  zoomTo(path: Path): boolean {
    const at = this.scene?.places.get(path);
    const box = at === undefined ? undefined : this.scene!.boxes[at]!;
    if (!box?.node.children || box.path !== path) return false;
    this.show(box.node, path);
    return true;
  }

  /** Squarifies all directories anew. */
  tidy(): void {
    this.memory.tidy();
    if (this.root && this.scene) this.show(this.root, this.scene.root);
  }

  private renewPainter(): void {
    if (!this.palette || !this.colours) return;
    this.painter = new Painter(this.context, this.palette, this.colours, this.light, this.scene);
  }

  /** Adapts to the size of the element. */
  fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === this.size.width && height === this.size.height) return;
    this.size = { width, height };
    for (const { canvas } of [this.context, this.overlay]) {
      canvas.width = Math.round(width * window.devicePixelRatio);
      canvas.height = Math.round(height * window.devicePixelRatio);
    }
    if (this.root && this.scene) {
      this.scene = layOut(this.root, this.scene.root, width, height, this.memory);
      this.settle();
    } else {
      this.draw(); // a resized canvas is black
    }
    this.listener.resized();
  }

  private settle(): void {
    window.cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.progress = 1;
    this.previous = undefined;
    this.morph = undefined;
    this.renewPainter();
    this.draw();
    this.listener.moves(false);
  }

  private run(milliseconds: number): void {
    window.cancelAnimationFrame(this.frame);
    if (milliseconds === 0) {
      this.settle();
      return;
    }
    this.listener.moves(true);
    let begin: number | undefined;
    const step = (time: number) => {
      begin ??= time;
      const t = Math.min(1, (time - begin) / milliseconds);
      this.progress = eased(t);
      if (t === 1) {
        this.settle();
        return;
      }
      this.draw();
      this.frame = window.requestAnimationFrame(step);
    };
    this.progress = 0;
    this.frame = window.requestAnimationFrame(step);
  }

  /** The current place of each box of the scene. */
  private placesNow(): Rect[] {
    const { scene, morph, progress } = this;
    if (!scene) return [];
    if (!morph) return [...scene.boxes];
    return morph.coming.map(({ from, to }) => between(from, to, progress));
  }

  private draw(): void {
    const { scene, painter, context } = this;
    const ratio = window.devicePixelRatio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    if (!painter) return;
    painter.clear(this.size.width, this.size.height);
    if (!scene) return;
    if (this.morph && this.previous) {
      this.drawMoving(this.morph.coming, scene);
      const around = (box: Box) => isWithin(scene.root, box.path);
      const leaving = this.morph.leaving.filter(({ at }) => !around(this.previous!.boxes[at]!));
      this.drawMoving(leaving, this.previous);
    } else {
      for (const box of scene.boxes) painter.draw(box, box, 1, true);
    }
    this.drawMarks();
  }

  private drawMoving(moving: readonly Moving[], scene: Scene): void {
    const t = this.progress;
    for (const { at, from, to, fade } of moving) {
      const opacity = fade === "none" ? 1 : fade === "in" ? t : 1 - t;
      const visible = fade !== "out";
      this.painter!.draw(scene.boxes[at]!, between(from, to, t), opacity, visible);
    }
  }

  private drawMarks(): void {
    const { overlay, size, marks } = this;
    const ratio = window.devicePixelRatio;
    overlay.setTransform(ratio, 0, 0, ratio, 0, 0);
    overlay.clearRect(0, 0, size.width, size.height);
    if (this.morph || !this.palette) return;
    for (const path of marks.planned) this.hatch(path);
    const pointed = this.boxOf(marks.pointed);
    const chosen = this.boxOf(marks.chosen);
    if (pointed && pointed !== chosen) this.outline(pointed, 1.5);
    if (chosen) this.outline(chosen, 2.5);
  }

  // Entries of the plan: never by colour alone.
  private hatch(path: Path): void {
    const at = this.scene?.places.get(path);
    const box = at === undefined ? undefined : this.scene!.boxes[at];
    if (!box || at === 0) return;
    const { overlay, palette } = this;
    const { x0, y0, x1, y1 } = box;
    overlay.save();
    overlay.beginPath();
    overlay.rect(x0, y0, x1 - x0, y1 - y0);
    overlay.clip();
    overlay.strokeStyle = palette!.frameInk;
    overlay.globalAlpha = 0.35;
    overlay.lineWidth = 1.5;
    overlay.beginPath();
    for (let x = x0 - (y1 - y0); x < x1; x += 6) {
      overlay.moveTo(x, y1);
      overlay.lineTo(x + (y1 - y0), y0);
    }
    overlay.stroke();
    overlay.globalAlpha = 1;
    overlay.strokeStyle = palette!.accent;
    overlay.lineWidth = 4; // half of it is outside
    overlay.strokeRect(x0, y0, x1 - x0, y1 - y0);
    overlay.restore();
  }

  // A light line within a dark one, so that it is visible on every colour.
  private outline(box: Box, width: number): void {
    const { overlay } = this;
    const inset = width / 2;
    const sides = [
      box.x0 + inset,
      box.y0 + inset,
      Math.max(1, box.x1 - box.x0 - width),
      Math.max(1, box.y1 - box.y0 - width),
    ] as const;
    overlay.strokeStyle = "#ffffff";
    overlay.lineWidth = width + 2;
    overlay.strokeRect(...sides);
    overlay.strokeStyle = "#111111";
    overlay.lineWidth = width;
    overlay.strokeRect(...sides);
  }

  /** The box with that key, or of the nearest parent directory that has a box. */
  private boxOf(key: string | undefined): Box | undefined {
    if (key === undefined || !this.scene) return undefined;
    for (let path = key; path !== ""; path = path.slice(0, Math.max(0, path.lastIndexOf("/")))) {
      const at = this.scene.places.get(path);
      if (at !== undefined) return at === 0 ? undefined : this.scene.boxes[at];
    }
    return undefined;
  }

  private hit(event: MouseEvent): Box | undefined {
    if (!this.scene || this.morph) return undefined;
    const at = boxAt(this.scene, event.offsetX, event.offsetY);
    return at > 0 ? this.scene.boxes[at] : undefined;
  }

  private point(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const box = this.hit(event);
    this.canvas.classList.toggle("opens", box !== undefined && isHeader(box, event));
    this.listener.pointed(box, pointOf(event));
  }

  // The header of a directory opens it, and so does a second click on any directory.
  private click(event: MouseEvent): void {
    const box = this.hit(event);
    if (box && (event.ctrlKey || event.metaKey)) {
      if (!box.rest) this.listener.planned(box.path);
    } else if (box && (isHeader(box, event) || (opens(box) && box.path === this.marks.chosen))) {
      this.listener.opened(box.path, undefined);
    } else {
      this.listener.chosen(box, pointOf(event), false);
    }
  }

  // A file opens its directory, which need not be the one on display.
  private doubleClick(event: MouseEvent): void {
    const box = this.hit(event);
    if (!box || opens(box) || box.depth < 2) return;
    this.listener.opened(this.scene!.boxes[box.parent]!.path, box.rest ? undefined : box.path);
  }

  private menu(event: MouseEvent): void {
    const box = this.hit(event);
    if (!box || box.rest) return;
    event.preventDefault();
    this.listener.chosen(box, pointOf(event), false);
    this.listener.menu(box, pointOf(event));
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.scene) return;
    const { scene } = this;
    const chosen = this.boxOf(this.marks.chosen);
    const direction = arrows[event.key];
    if (direction !== undefined) {
      const from = chosen && scene.places.get(chosen.key);
      this.chooseByKey(from === undefined ? 1 : neighbour(scene, from, direction));
    } else if (event.key === "Home") {
      this.chooseByKey(1);
    } else if (event.key === "Enter" && chosen && opens(chosen)) {
      this.listener.opened(chosen.path, undefined);
    } else if (event.key === " " && chosen && !chosen.rest) {
      this.listener.planned(chosen.path);
    } else {
      return;
    }
    event.preventDefault();
  }

  private chooseByKey(at: number): void {
    const box = this.scene?.boxes[at];
    if (!box || at < 1) return;
    const frame = this.canvas.getBoundingClientRect();
    const x = frame.left + (box.x0 + box.x1) / 2;
    const y = frame.top + Math.min(box.y1, box.y0 + 24);
    this.listener.chosen(box, { x, y }, true);
  }
}

function pointOf(event: MouseEvent): Point {
  return { x: event.clientX, y: event.clientY };
}

function opens(box: Box): boolean {
  return box.node.kind === "directory" && box.depth > 0 && !box.rest;
}

function isHeader(box: Box, event: MouseEvent): boolean {
  return box.divided && box.depth > 0 && event.offsetY < box.y0 + Math.max(box.header, 2);
}
