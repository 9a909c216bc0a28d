// The treemap as a part of the page: requests trees, describes the box under the pointer, and
// summarizes the map in words.

import { effect, untracked } from "@preact/signals-core";
import { changeText } from "../data/change";
import { shown } from "../data/label";
import { agoText, timeText } from "../data/moment";
import { bytesText, counted, shareText } from "../data/number";
import type { Path } from "../data/path";
import { byId, setText } from "../dom";
import { api, type Entry } from "../net/api";
import { Slot } from "../net/slot";
import type { Measure } from "../state/address";
import type { Matches } from "../state/matches";
import type { Store } from "../state/store";
import type { EntryMenu } from "../view/entry_menu";
import { Legend } from "../view/legend";
import { paletteOf } from "../view/theme";
import { Tooltip } from "../view/tooltip";
import { type Box, chainEnds, type MapNode } from "./layout";
import { Pace } from "./pace";
import { fullLight, type Light } from "./painter";
import { type Point, Treemap } from "./treemap";

// More rectangles than one for this many pixels could not be distinguished.
const pixelsPerNode = 150;
const fewestNodes = 600;
const mostNodes = 3500;
const leastArea = 5; // pixels of the smallest rectangle that is requested
const mostDepth = 32;
const narrow = 500; // pixels of a map on which deep boxes cannot be hit by a finger
const depthIfNarrow = 3;
const leastChain = 0.01; // of all bytes, for a chain longer than that to be followed
const mostKept = 24; // trees of directories that were shown before
const restBeforeAsking = 150; // ms that the pointer must stay on a directory

interface Shown {
  readonly root: MapNode;
  readonly generation: number;
}

export class MapView {
  private readonly figure = byId("map");
  private readonly canvas = byId<HTMLCanvasElement>("treemap");
  private readonly line = byId("map-line");
  private readonly summary = byId("map-summary");
  private readonly empty = byId("map-empty");
  private readonly tooltip = new Tooltip(byId("tooltip"), byId("sheet"));
  private readonly treemap: Treemap;
  private readonly slot = new Slot();
  private readonly pace = new Pace(() => this.load());

  private readonly kept = new Map<Path, Shown>();
  private keptFor: Measure | undefined;
  private readonly details = new Map<Path, Entry>();
  private answer: Shown | undefined;
  private askedFor = ""; // the directory and the measure
  private askedArea = 0;
  private timer: number | undefined;
  private wasScanning = false;
  private pointed: { box: Box; at: Point } | undefined;
  private light: Light | undefined;
  private words = ""; // about the largest entries

  constructor(
    private readonly store: Store,
    matches: Matches,
    private readonly menu: EntryMenu,
  ) {
    this.treemap = new Treemap(this.canvas, byId<HTMLCanvasElement>("marks"), store.branches, {
      pointed: (box, at) => this.point(box, at),
      chosen: (box, at, byKey) => this.chosen(box, at, byKey),
      opened: (directory, entry) => this.opened(directory, entry),
      planned: (path) => store.togglePlanned(path),
      menu: (box, at) => menu.open(box.path, box.node.kind, at),
      moves: (moving) => this.figure.setAttribute("aria-busy", String(moving)),
      resized: () => this.resized(),
    });
    new Legend(store);
    this.canvas.addEventListener("blur", () => this.tooltip.hide());
    // Before anything is loaded, the canvas has the colour of the page.
    effect(() => {
      const palette = paletteOf(store.scheme.value);
      this.light = matches.light.value;
      this.treemap.setLook(palette, store.colours.value, this.light ?? fullLight);
      this.tellLit();
    });
    effect(() => {
      const [pointed, chosen] = [store.hover.value, store.selected.value];
      this.treemap.setMarks({ pointed, chosen, planned: store.plan.value });
    });
    effect(() => this.update());
  }

  focus(): void {
    this.canvas.focus();
  }

  tidy(): void {
    this.treemap.tidy();
  }

  // Another directory is loaded immediately. While a scan runs, the same one is updated after 1, 2, 4
  // and then each 8 seconds, so that the boxes rest in between.
  private update(): void {
    const { store } = this;
    const comparison = store.comparison.value;
    const directory = store.directory.value;
    const subject = `${store.measure.value} ${directory}`;
    void store.generation.value;
    const scanning = store.scanning.value;
    if (!store.ready.value) return;
    if (comparison && comparison.path === directory) {
      this.askedFor = "";
      this.pace.reset();
      untracked(() => this.fill({ root: comparison.root, generation: 0 }, directory));
      return;
    }
    const ended = this.wasScanning && !scanning;
    this.wasScanning = scanning;
    if (ended) this.treemap.tidy();
    if (subject !== this.askedFor || !scanning) {
      this.pace.reset();
      untracked(() => this.load());
      return;
    }
    this.pace.want();
  }

  private load(): void {
    this.request().catch((error: unknown) => this.store.failed(error));
  }

  /** Shows the directory: first from the trees at hand, then from the server's reply. */
  private async request(): Promise<void> {
    const { store } = this;
    const path = store.directory.peek();
    const measure = store.measure.peek();
    this.askedFor = `${measure} ${path}`;
    this.forgetOther(measure);
    if (this.treemap.shown !== path) this.showKnown(path);
    const { area, width } = this.treemap;
    if (area === 0) return;
    this.askedArea = area;
    const nodes = Math.round(Math.min(mostNodes, Math.max(fewestNodes, area / pixelsPerNode)));
    const depth = width < narrow ? depthIfNarrow : mostDepth;
    const answer = await this.slot.take(async (signal) => {
      const share = leastArea / area;
      const whole = await api.tree(path, measure, depth, nodes, share, signal);
      const { root } = whole;
      for (;;) {
        const ends = chainEnds(root, path, leastChain);
        if (ends.length === 0) return whole;
        const more = ends.map(async ({ path, node }) => {
          const part = Math.min(1, (share * root.bytes) / node.bytes);
          const inner = await api.tree(path, measure, depth, nodes, part, signal).catch(() => null);
          // Always with children, so that this comes to an end; without an answer, it has gone.
          Object.assign(node, { children: [] }, inner?.root);
        });
        await Promise.all(more);
      }
    });
    if (answer) this.fill(answer, path);
  }

  private forgetOther(measure: Measure): void {
    if (this.keptFor === measure) return;
    this.keptFor = measure;
    this.kept.clear();
  }

  private showKnown(path: Path): void {
    this.tooltip.hide();
    this.pointed = undefined;
    setText(this.line, "");
    if (this.treemap.zoomTo(path)) return;
    const known = this.kept.get(path);
    if (known) this.treemap.show(known.root, path);
  }

  private fill(answer: Shown, path: Path): void {
    if (this.answer && answer.generation !== this.answer.generation) {
      this.kept.clear();
      this.details.clear();
    }
    this.answer = answer;
    this.kept.set(path, answer);
    if (this.kept.size > mostKept) this.kept.delete(this.kept.keys().next().value!);
    this.meetOwners(answer.root);
    this.treemap.show(answer.root, path);
    this.describe(answer, path);
    markPainted();
  }

  private meetOwners(root: MapNode): void {
    const nodes: MapNode[] = [root];
    let news = false;
    for (let at = 0; at < nodes.length; ++at) {
      const { uid, owner, children } = nodes[at]!;
      if (this.store.owners.meet(uid, owner)) news = true;
      if (children) nodes.push(...children);
    }
    if (news) this.store.ownersKnown.value++;
  }

  private describe(answer: Shown, path: Path): void {
    const { bytes, children = [], rest } = answer.root;
    const scanning = this.store.scanning.peek();
    const isEmpty = children.length === 0 && rest?.entries === 0;
    this.empty.hidden = bytes > 0 && !isEmpty;
    const nothing = isEmpty ? "This directory is empty." : "Nothing here takes up space.";
    setText(this.empty, scanning ? "Scanning…" : nothing);
    const largest = children.slice(0, 5).map((node) => {
      const share = bytes > 0 ? shareText(node.bytes / bytes) : "";
      return `${node.name}: ${bytesText(node.bytes)}, ${share}`;
    });
    const others = children.length - largest.length + (rest?.entries ?? 0);
    if (others > 0) largest.push(`and ${counted(others, "other", "others")}`);
    const name = path === "" ? "all roots" : shown(path);
    const title = `Treemap of ${name}, ${bytesText(bytes)}${scanning ? " so far" : ""}`;
    setText(byId("map-title"), title);
    this.canvas.setAttribute("aria-label", title);
    const largestText = largest.length > 0 ? `${largest.join("; ")}. ` : "";
    this.words = `${largestText}The table shows the same data.`;
    this.tellLit();
    this.figure.dataset.generation = String(answer.generation);
    this.figure.dataset.path = path;
    this.figure.dataset.boxes = String(this.treemap.boxes.length);
  }

  // How many boxes the highlight or the search lights up.
  private tellLit(): void {
    const { light } = this;
    const leaves = this.treemap.boxes.filter((box) => !box.divided);
    const count = light ? leaves.filter((box) => light(box) === 1).length : undefined;
    if (count === undefined) delete this.figure.dataset.lit;
    else this.figure.dataset.lit = String(count);
    const lit = count === undefined ? "" : ` Lit up: ${counted(count, "rectangle", "rectangles")}.`;
    setText(this.summary, this.words + lit);
  }

  private resized(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const { area } = this.treemap;
      const compared = this.store.comparison.peek() !== undefined;
      if (!this.store.ready.peek() || compared) return;
      if (area > this.askedArea * 1.3 || this.askedArea === 0) this.load();
    }, 200);
  }

  private opened(directory: Path, entry: Path | undefined): void {
    if (entry === undefined) this.store.open(directory);
    else this.store.reveal(entry);
  }

  private point(box: Box | undefined, at: Point): void {
    const same = box !== undefined && box.key === this.pointed?.box.key;
    this.pointed = box && { box, at };
    if (!same) this.store.hover.value = box?.path;
    if (!box || this.menu.isOpen) {
      this.tooltip.hide();
      if (!box) setText(this.line, "");
      return;
    }
    this.tell(box);
    this.tooltip.show(box.path, this.linesOf(box), at.x, at.y);
    if (!same) this.askLater(box);
  }

  private chosen(box: Box | undefined, at: Point, byKey: boolean): void {
    this.store.select(box?.path);
    this.tooltip.hide();
    if (!box) return;
    this.pointed = { box, at };
    this.tell(box);
    if (byKey) this.store.announcement.value = [shown(box.path), ...this.linesOf(box)].join(", ");
    this.askLater(box);
  }

  private tell(box: Box): void {
    setText(this.line, [shown(box.path), ...this.linesOf(box)].join(" · "));
  }

  private linesOf(box: Box): string[] {
    const { node, rest } = box;
    if (node.change && !rest) {
      const { before, after } = node.change;
      return [`${changeText(after - before)}: from ${bytesText(before)} to ${bytesText(after)}`];
    }
    const whole = this.answer?.root.bytes ?? 0;
    const bound = node.flags.includes("incomplete") ? "≥ " : "";
    const share = whole > 0 ? `, ${shareText(box.bytes / whole)}` : "";
    const size = `${bound}${bytesText(box.bytes)}${share} of ${this.hereName()}`;
    if (rest) {
      const others = counted(rest.entries, "other entry", "other entries");
      return [rest.entries === 0 ? "the directory itself" : `${others} in it`, size];
    }
    const detail = this.details.get(box.path);
    const lines = [size];
    if (detail && node.kind === "directory")
      lines.push(counted(detail.entries, "entry", "entries"));
    const time = node.newest ?? node.modified;
    if (time !== null) {
      const ago = agoText(time, Date.now() / 1000);
      lines.push(`modified ${timeText(time)}, ${ago}`);
    }
    if (node.uid !== null) lines.push(`owner ${this.store.owners.nameOf(node.uid)}`);
    return lines;
  }

  private hereName(): string {
    const path = this.store.directory.peek();
    return path === "" ? "all" : shown(this.store.nameOf(path));
  }

  // The tree does not contain the number of entries of a directory: request it when needed.
  private askLater(box: Box): void {
    window.clearTimeout(this.timer);
    const { path, node } = box;
    if (node.kind !== "directory" || box.rest || node.change || this.details.has(path)) return;
    this.timer = window.setTimeout(() => void this.ask(path), restBeforeAsking);
  }

  private async ask(path: Path): Promise<void> {
    try {
      const page = { offset: 0, limit: 1 };
      const { entry } = await api.children(path, "disk", "size", "desc", page);
      this.details.set(path, entry);
    } catch {
      return; // it has disappeared since
    }
    if (this.pointed?.box.path !== path) return;
    this.tell(this.pointed.box);
    this.tooltip.update(path, this.linesOf(this.pointed.box));
  }
}

// Sets the mark after the frame in which the scene was drawn.
function markPainted(): void {
  window.requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      performance.clearMarks("fathom:painted");
      performance.mark("fathom:painted");
    };
    port2.postMessage(null);
  });
}
