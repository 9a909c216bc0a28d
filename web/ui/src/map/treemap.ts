// The treemap: a directory on a canvas, with the outline of the current box on a second canvas above.
//
// It knows only boxes and their places. Its listener handles what they mean to the page.

import type { Colours } from "../data/colour";
import { isWithin, type Path } from "../data/path";
import type { TreeNode } from "../net/api";
import {
  type Box,
  boxAt,
  type Direction,
  layOut,
  neighbour,
  type Rect,
  type Scene,
} from "./layout";
import { between, type Morph, type Moving, morphOf } from "./morph";
import { Painter, type Palette } from "./painter";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface TreemapListener {
  /** The pointer is on the box, or on no box. */
  pointed(box: Box | undefined, at: Point): void;
  /** The user selected the box by a click or a key. */
  chosen(box: Box | undefined, at: Point, byKey: boolean): void;
  /** The user opens that directory, and selects the entry in it. */
  opened(directory: Path, entry: Path | undefined): void;
  /** The boxes start or stop moving. */
  moves(moving: boolean): void;
  /** The size of the treemap has changed. */
  resized(): void;
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
  private readonly marks: CanvasRenderingContext2D;
  private painter: Painter | undefined;
  private palette: Palette | undefined;
  private colours: Colours | undefined;

  private root: TreeNode | undefined;
  private scene: Scene | undefined;
  private previous: Scene | undefined; // during the morph
  private morph: Morph | undefined;
  private progress = 1; // of the morph, eased
  private frame = 0;

  private pointedKey: string | undefined;
  private chosenKey: string | undefined;
  private size = { width: 0, height: 0 };

  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly overlay: HTMLCanvasElement,
    private readonly listener: TreemapListener,
  ) {
    this.context = canvas.getContext("2d", { alpha: false })!;
    this.marks = overlay.getContext("2d")!;
    new ResizeObserver(() => this.fit()).observe(canvas.parentElement!);
    canvas.addEventListener("pointermove", (event) => this.point(event));
    canvas.addEventListener("pointerleave", () => this.unpoint());
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("dblclick", (event) => this.doubleClick(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("focus", () => this.drawMarks());
    canvas.addEventListener("blur", () => this.drawMarks());
    this.fit();
  }

  get area(): number {
    return this.size.width * this.size.height;
  }

  /** The directory on display. */
  get shown(): Path | undefined {
    return this.scene?.root;
  }

  get boxes(): readonly Box[] {
    return this.scene?.boxes ?? [];
  }

  setTheme(palette: Palette, colours: Colours): void {
    this.palette = palette;
    this.colours = colours;
    this.painter = new Painter(this.context, palette, colours);
    this.draw();
  }

  /** Shows the directory; the boxes move from where they are now. */
  show(root: TreeNode, path: Path): void {
    this.root = root;
    const next = layOut(root, path, this.size.width, this.size.height);
    const old = this.scene;
    const now = this.placesNow();
    this.morph = morphOf(old, (at) => now[at]!, next);
    this.previous = old;
    this.scene = next;
    this.painter = this.painter && new Painter(this.context, this.palette!, this.colours!);
    const visible = old !== undefined && old.boxes.length > 0 && !stillness.matches;
    this.run(visible ? duration : 0);
  }

  /** Shows the directory from data at hand. Returns false if there is none. */
  zoomTo(path: Path): boolean {
    const at = this.scene?.places.get(path);
    const node = at === undefined ? undefined : this.scene!.boxes[at]!.node;
    if (!node?.children) return false;
    this.show(node, path);
    return true;
  }

  /** Selects the box of the entry, or the box that contains it. */
  choose(path: Path | undefined): void {
    this.chosenKey = path;
    this.drawMarks();
  }

  /** Marks the box as if the pointer were on it. */
  pointAt(path: Path | undefined): void {
    this.pointedKey = path;
    this.drawMarks();
  }

  private fit(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas.parentElement!;
    if (width === this.size.width && height === this.size.height) return;
    this.size = { width, height };
    for (const { canvas } of [this.context, this.marks]) {
      canvas.width = Math.round(width * window.devicePixelRatio);
      canvas.height = Math.round(height * window.devicePixelRatio);
    }
    if (this.root && this.scene) {
      this.scene = layOut(this.root, this.scene.root, width, height);
      this.settle();
    }
    this.listener.resized();
  }

  private settle(): void {
    window.cancelAnimationFrame(this.frame);
    this.frame = 0;
    this.progress = 1;
    this.previous = undefined;
    this.morph = undefined;
    this.painter = this.painter && new Painter(this.context, this.palette!, this.colours!);
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
    if (!painter || !scene) {
      if (this.palette) {
        context.fillStyle = this.palette.ground;
        context.fillRect(0, 0, this.size.width, this.size.height);
      }
      return;
    }
    painter.clear(this.size.width, this.size.height);
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
    const { marks, size } = this;
    const ratio = window.devicePixelRatio;
    marks.setTransform(ratio, 0, 0, ratio, 0, 0);
    marks.clearRect(0, 0, size.width, size.height);
    if (this.morph) return;
    const pointed = this.boxOf(this.pointedKey);
    const chosen = this.boxOf(this.chosenKey);
    if (pointed && pointed !== chosen) this.outline(pointed, 1.5);
    if (chosen) this.outline(chosen, 2.5);
  }

  // A light line within a dark one, so that it is visible on every colour.
  private outline(box: Box, width: number): void {
    const { marks } = this;
    const inset = width / 2;
    const sides = [
      box.x0 + inset,
      box.y0 + inset,
      Math.max(1, box.x1 - box.x0 - width),
      Math.max(1, box.y1 - box.y0 - width),
    ] as const;
    marks.strokeStyle = "#ffffff";
    marks.lineWidth = width + 2;
    marks.strokeRect(...sides);
    marks.strokeStyle = "#111111";
    marks.lineWidth = width;
    marks.strokeRect(...sides);
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
    this.pointedKey = box?.key;
    this.canvas.classList.toggle("opens", box !== undefined && opens(box));
    this.drawMarks();
    this.listener.pointed(box, { x: event.clientX, y: event.clientY });
  }

  private unpoint(): void {
    this.pointedKey = undefined;
    this.drawMarks();
    this.listener.pointed(undefined, { x: 0, y: 0 });
  }

  private click(event: MouseEvent): void {
    const box = this.hit(event);
    if (box && opens(box)) this.listener.opened(box.path, undefined);
    else this.listener.chosen(box, { x: event.clientX, y: event.clientY }, false);
  }

  // A file opens its directory, which need not be the one on display.
  private doubleClick(event: MouseEvent): void {
    const box = this.hit(event);
    if (!box || opens(box) || box.depth < 2) return;
    this.listener.opened(this.scene!.boxes[box.parent]!.path, box.path);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || !this.scene) return;
    const { scene } = this;
    const chosen = this.boxOf(this.chosenKey);
    const direction = arrows[event.key];
    if (direction !== undefined) {
      const from = chosen && scene.places.get(chosen.key);
      this.chooseByKey(from === undefined ? 1 : neighbour(scene, from, direction));
    } else if (event.key === "Home") {
      this.chooseByKey(1);
    } else if (event.key === "Enter" && chosen && opens(chosen)) {
      this.listener.opened(chosen.path, undefined);
    } else if (event.key === "Escape") {
      this.listener.chosen(undefined, { x: 0, y: 0 }, true);
    } else {
      return;
    }
    event.preventDefault();
  }

  private chooseByKey(at: number): void {
    const box = this.scene?.boxes[at];
    if (!box || at < 1) return;
    this.chosenKey = box.key;
    this.drawMarks();
    const frame = this.overlay.getBoundingClientRect();
    const x = frame.left + (box.x0 + box.x1) / 2;
    const y = frame.top + Math.min(box.y1, box.y0 + 24);
    this.listener.chosen(box, { x, y }, true);
  }
}

function opens(box: Box): boolean {
  return box.node.kind === "directory" && box.depth > 0;
}
