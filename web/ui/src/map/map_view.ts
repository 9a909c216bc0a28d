// The treemap as a part of the page: requests trees, describes the box under the pointer, and
// summarizes the map in words.

import type { Measure } from "../address";
import { shown } from "../data/label";
import { agoText, timeText } from "../data/moment";
import { bytesText, counted, shareText } from "../data/number";
import { lastName, type Path } from "../data/path";
import { byId, setText } from "../dom";
import { api, type Entry, type TreeAnswer } from "../net/api";
import { Slot } from "../net/slot";
import type { Host } from "../view/host";
import { showLegend } from "../view/legend";
import { Tooltip } from "../view/tooltip";
import type { Box } from "./layout";
import type { Palette } from "./painter";
import { type Point, Treemap } from "./treemap";

// More rectangles than one for this many pixels could not be distinguished.
const pixelsPerNode = 150;
const fewestNodes = 600;
const mostNodes = 3000;
const leastArea = 5; // pixels of the smallest rectangle that is requested
const mostKept = 24; // trees of directories that were shown before
const hint = "Point at a rectangle for details; click a directory to open it.";
const restBeforeAsking = 150; // ms that the pointer must stay on a directory

export class MapView {
  private readonly figure = byId("map");
  private readonly canvas = byId<HTMLCanvasElement>("treemap");
  private readonly line = byId("map-line");
  private readonly summary = byId("map-summary");
  private readonly empty = byId("map-empty");
  private readonly tooltip = new Tooltip(byId("tooltip"));
  private readonly treemap: Treemap;
  private readonly slot = new Slot();

  private readonly kept = new Map<Path, TreeAnswer>();
  private keptFor: Measure | undefined;
  private readonly details = new Map<Path, Entry>();
  private answer: TreeAnswer | undefined;
  private askedArea = 0;
  private timer: number | undefined;
  private pointed: { box: Box; at: Point } | undefined;

  constructor(private readonly host: Host) {
    this.treemap = new Treemap(this.canvas, byId<HTMLCanvasElement>("marks"), {
      pointed: (box, at) => this.point(box, at),
      chosen: (box, at, byKey) => this.chosen(box, at, byKey),
      opened: (directory, entry) => this.opened(directory, entry),
      moves: (moving) => this.figure.setAttribute("aria-busy", String(moving)),
      resized: () => this.resized(),
    });
    this.canvas.addEventListener("blur", () => this.tooltip.hide());
  }

  /** The generation of the snapshot that is shown. */
  get generation(): number {
    return this.answer?.generation ?? -1;
  }

  setTheme(palette: Palette): void {
    this.treemap.setTheme(palette, this.host.colours);
    showLegend(byId("legend"), this.host.colours);
  }

  choose(path: Path | undefined): void {
    this.treemap.choose(path);
  }

  pointAt(path: Path | undefined): void {
    this.treemap.pointAt(path);
  }

  focus(): void {
    this.canvas.focus();
  }

  /** Shows the directory: first from the trees at hand, then from the server's reply. */
  async load(): Promise<void> {
    const { path, measure } = this.host.view;
    this.forgetOther(measure);
    if (this.treemap.shown !== path) this.showKnown(path);
    const area = this.treemap.area;
    if (area === 0) return;
    this.askedArea = area;
    const nodes = Math.round(Math.min(mostNodes, Math.max(fewestNodes, area / pixelsPerNode)));
    const answer = await this.slot.take((signal) =>
      api.tree(path, measure, nodes, leastArea / area, signal),
    );
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
    setText(this.line, hint);
    if (this.treemap.zoomTo(path)) return;
    const known = this.kept.get(path);
    if (known) this.treemap.show(known.root, path);
  }

  private fill(answer: TreeAnswer, path: Path): void {
    if (this.answer && answer.generation !== this.answer.generation) {
      this.kept.clear();
      this.details.clear();
    }
    this.answer = answer;
    this.kept.set(path, answer);
    if (this.kept.size > mostKept) this.kept.delete(this.kept.keys().next().value!);
    this.treemap.show(answer.root, path);
    if (this.host.colours.by === "owner") {
      for (const { node } of this.treemap.boxes) this.host.owners.meet(node.uid);
      showLegend(byId("legend"), this.host.colours);
    }
    this.describe(answer, path);
    markPainted();
  }

  private describe(answer: TreeAnswer, path: Path): void {
    const { bytes, children = [], rest } = answer.root;
    const scanning = this.host.status?.state === "scanning";
    this.empty.hidden = bytes > 0;
    setText(this.empty, scanning ? "Scanning…" : "Nothing here takes up space.");
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
    setText(this.summary, `${largestText}The table shows the same data.`);
    this.figure.dataset.generation = String(answer.generation);
    this.figure.dataset.path = path;
    this.figure.dataset.boxes = String(this.treemap.boxes.length);
  }

  private resized(): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      const { area } = this.treemap;
      if (this.host.status && (area > this.askedArea * 1.3 || this.askedArea === 0)) {
        this.load().catch((error: unknown) => this.host.failed(error));
      }
    }, 200);
  }

  private opened(directory: Path, entry: Path | undefined): void {
    if (entry === undefined) this.host.go({ path: directory });
    else this.host.reveal(entry);
  }

  private point(box: Box | undefined, at: Point): void {
    const same = box !== undefined && box.key === this.pointed?.box.key;
    this.pointed = box && { box, at };
    if (!same) this.host.pointed(box?.path);
    if (!box) {
      this.tooltip.hide();
      setText(this.line, hint);
      return;
    }
    this.tell(box, at);
    if (!same) this.askLater(box);
  }

  private chosen(box: Box | undefined, at: Point, byKey: boolean): void {
    this.host.choose(box?.path);
    if (!box) {
      this.tooltip.hide();
      return;
    }
    this.pointed = { box, at };
    this.tell(box, at);
    if (!byKey) return;
    this.host.announce([shown(box.path), ...this.linesOf(box)].join(", "));
    this.askLater(box);
  }

  private tell(box: Box, at: Point): void {
    const lines = this.linesOf(box);
    this.tooltip.show(box.path, lines, at.x, at.y);
    setText(this.line, [shown(box.path), ...lines].join(" · "));
  }

  private linesOf(box: Box): string[] {
    const { node, rest } = box;
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
    if (node.modified !== null) {
      const ago = agoText(node.modified, Date.now() / 1000);
      lines.push(`modified ${timeText(node.modified)}, ${ago}`);
    }
    if (node.uid !== null) lines.push(`owner ${this.host.owners.nameOf(node.uid)}`);
    return lines;
  }

  private hereName(): string {
    const { path } = this.host.view;
    return path === "" ? "all" : shown(lastName(path) || path);
  }

  // The tree does not contain the number of entries of a directory: request it when needed.
  private askLater(box: Box): void {
    window.clearTimeout(this.timer);
    const { path, node } = box;
    if (node.kind !== "directory" || box.rest || this.details.has(path)) return;
    this.timer = window.setTimeout(() => void this.ask(path), restBeforeAsking);
  }

  private async ask(path: Path): Promise<void> {
    try {
      const { entry } = await api.children(path, "disk", "size", "desc", { offset: 0, limit: 1 });
      this.details.set(path, entry);
      this.host.owners.meet(entry.uid, entry.owner);
    } catch {
      return; // it has disappeared since
    }
    if (this.pointed?.box.path === path) this.tell(this.pointed.box, this.pointed.at);
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
