// Draws boxes on a canvas: a directory as a frame with its name, any other box as a coloured rectangle.

import { changeColour, changeText } from "../data/change";
import { type Colours, inkOn } from "../data/colour";
import { labelOf, type Piece } from "../data/label";
import { bytesText, counted } from "../data/number";
import { pathOf } from "../data/path";
import { fitted, type Line, lineOf } from "./label_fit";
import type { Box, Rect, Scene } from "./layout";

/** The colours of a theme for treemaps. */
export interface Palette {
  readonly ground: string; // behind everything
  readonly frames: readonly string[]; // of directories, by depth; deeper ones use the last
  readonly frameInk: string;
  readonly quietInk: string;
  readonly accent: string;
  readonly edge: string; // the light upper edge of a rectangle
}

/** How much of its colour a box has: 1 is all of it, less is dimmed. */
export type Light = (box: Box) => number;

export const fullLight: Light = () => 1;

interface Label {
  readonly name: Line | undefined;
  readonly size: Line | undefined; // to the right of the name in a header, otherwise below it
}

interface Font {
  readonly css: string;
  readonly height: number; // of a line
}

const family = "system-ui, sans-serif";
const headerFont: Font = { css: `600 11.5px ${family}`, height: 14 };
const sizeFont: Font = { css: `11px ${family}`, height: 14 };
// By the area of the box.
const nameFonts: readonly (readonly [least: number, font: Font])[] = [
  [120_000, { css: `17px ${family}`, height: 21 }],
  [30_000, { css: `14px ${family}`, height: 18 }],
  [0, { css: `12px ${family}`, height: 15 }],
];
const margin = 5;
const leastHeight = 17;
const leastHeightForSize = 34;
const labelsPerMegapixel = 130;
const fewestLabels = 24;

export class Painter {
  private readonly labels = new Map<string, Label>();
  private readonly labelled: ReadonlySet<string>;

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly palette: Palette,
    private readonly colours: Colours,
    private readonly light: Light,
    scene: Scene | undefined,
  ) {
    this.labelled = scene ? largestLeaves(scene) : new Set();
  }

  clear(width: number, height: number): void {
    this.context.fillStyle = this.palette.ground;
    this.context.fillRect(0, 0, width, height);
  }

  /** Draws the box in the rectangle. Its label is the one for its final place. */
  draw(box: Box, at: Rect, opacity: number, labelled: boolean): void {
    const width = at.x1 - at.x0;
    const height = at.y1 - at.y0;
    if (width <= 0 || height <= 0) return;
    const { context } = this;
    context.globalAlpha = opacity;
    if (box.divided) this.drawFrame(box, at, width, height, labelled);
    else this.drawLeaf(box, at, width, height, opacity, labelled);
    context.globalAlpha = 1;
  }

  private frameOf(depth: number): string {
    const { frames } = this.palette;
    return frames[Math.min(Math.max(depth, 1), frames.length) - 1]!;
  }

  private drawFrame(box: Box, at: Rect, width: number, height: number, labelled: boolean): void {
    const { context, palette } = this;
    if (box.depth === 0) return;
    context.fillStyle = this.frameOf(box.depth);
    context.fillRect(at.x0, at.y0, width, height);
    if (this.colours.by === "branch" && box.depth === 1) {
      context.fillStyle = this.colours.ofBranch(box.place);
      context.fillRect(at.x0, at.y0, width, Math.min(3, height));
    }
    if (!labelled || box.header === 0 || height < box.header) return;
    const { name, size } = this.labelOf(box);
    const baseline = at.y0 + box.header - 5;
    if (name && name.width <= roomIn(width)) {
      this.write(name, headerFont, palette.frameInk, at.x0 + margin, baseline);
    }
    if (name && size && name.width + size.width + 3 * margin <= width) {
      this.write(size, sizeFont, palette.quietInk, at.x1 - margin - size.width, baseline);
    }
  }

  private fillOf(box: Box): string {
    const { change } = box.node;
    if (change && !box.rest) return changeColour(change.before, change.after, this.colours.scheme);
    if (change) return changeColour(1, 1, this.colours.scheme);
    if (box.rest) return this.colours.ofRest(box.place);
    return this.colours.inMap(box.node, box.place);
  }

  private drawLeaf(
    box: Box,
    at: Rect,
    width: number,
    height: number,
    opacity: number,
    labelled: boolean,
  ): void {
    const { context, palette } = this;
    const light = this.light(box);
    const fill = this.fillOf(box);
    if (light < 1) {
      context.fillStyle = this.frameOf(box.depth - 1);
      context.fillRect(at.x0, at.y0, width, height);
    }
    context.globalAlpha = opacity * light;
    context.fillStyle = fill;
    context.fillRect(at.x0, at.y0, width, height);
    if (!box.rest && width > 24 && height > 24) {
      context.fillStyle = palette.edge;
      context.fillRect(at.x0, at.y0, width, 1);
    }
    if (labelled && this.labelled.has(box.key)) this.drawLabel(box, at, width, height, fill, light);
  }

  private drawLabel(
    box: Box,
    at: Rect,
    width: number,
    height: number,
    fill: string,
    light: number,
  ): void {
    if (height < leastHeight) return;
    const { name, size } = this.labelOf(box);
    if (!name || name.width > roomIn(width)) return; // a size without a name is meaningless
    const font = fontOf(box);
    const ink = light < 1 ? this.palette.frameInk : inkOn(fill);
    const baseline = at.y0 + font.height - 2;
    this.write(name, font, ink, at.x0 + margin - 1, baseline);
    if (size && height >= Math.max(leastHeightForSize, font.height + sizeFont.height + 4)) {
      this.write(size, sizeFont, ink, at.x0 + margin - 1, baseline + sizeFont.height);
    }
  }

  private write(line: Line, font: Font, ink: string, x: number, y: number): void {
    const { context } = this;
    context.font = font.css;
    context.fillStyle = ink;
    let left = x;
    for (const { text, escaped } of line.pieces) {
      context.fillText(text, left, y);
      const width = this.widthOf(text, font);
      if (escaped) context.fillRect(left, y + 2, width, 1);
      left += width;
    }
  }

  private labelOf(box: Box): Label {
    let label = this.labels.get(box.key);
    if (label === undefined) {
      label = this.makeLabel(box);
      this.labels.set(box.key, label);
    }
    return label;
  }

  private makeLabel(box: Box): Label {
    const room = roomIn(box.x1 - box.x0);
    const font = box.divided ? headerFont : fontOf(box);
    const widthOf = (text: string) => this.widthOf(text, font);
    const size = lineOf(plain(sizeText(box)), (text) => this.widthOf(text, sizeFont));
    return {
      name: box.rest
        ? this.lineOfRest(box.rest.entries, room, widthOf)
        : fitted(nameOf(box), room, widthOf, box.node.kind !== "directory"),
      size: size.width <= room ? size : undefined,
    };
  }

  // A truncated number would be a wrong number.
  private lineOfRest(entries: number, room: number, widthOf: (text: string) => number) {
    return [restText(entries), "others"]
      .map((text) => lineOf(plain(text), widthOf))
      .find((line) => line.width <= room);
  }

  private widthOf(text: string, font: Font): number {
    let width = 0;
    for (const character of text) width += this.widthOfCharacter(character, font);
    return width;
  }

  private widthOfCharacter(character: string, { css }: Font): number {
    const key = css + character;
    let width = widths.get(key);
    if (width === undefined) {
      this.context.font = css;
      width = this.context.measureText(character).width;
      widths.set(key, width);
    }
    return width;
  }
}

// Only the largest boxes have labels: a map full of text is hard to read.
function largestLeaves(scene: Scene): Set<string> {
  const area = (box: Box) => (box.x1 - box.x0) * (box.y1 - box.y0);
  const leaves = scene.boxes.filter((box) => !box.divided && box.depth > 0);
  leaves.sort((a, b) => area(b) - area(a));
  const megapixels = (scene.width * scene.height) / 1e6;
  const most = Math.max(fewestLabels, Math.round(labelsPerMegapixel * megapixels));
  return new Set(leaves.slice(0, most).map(({ key }) => key));
}

function fontOf(box: Box): Font {
  const area = (box.x1 - box.x0) * (box.y1 - box.y0);
  return nameFonts.find(([least]) => area >= least)![1];
}

// The width for a line of text in a box of that width.
function roomIn(width: number): number {
  return width - 2 * margin + 2;
}

// Widths of single characters, by font. Measuring each candidate text would take longer than drawing
// all of them.
const widths = new Map<string, number>();

function plain(text: string): Piece[] {
  return [{ text, escaped: false }];
}

// The names of folded directories are shown as a path.
function nameOf({ names, node }: Box): Piece[] {
  const parts = names.length > 0 ? names : [pathOf(node.name, node.name_b64)];
  return parts.flatMap((name, at) => [...(at > 0 ? plain("/") : []), ...labelOf(name)]);
}

function sizeText({ bytes, node, rest }: Box): string {
  if (node.change && !rest) {
    const change = node.change.after - node.change.before;
    return change === 0 ? "" : changeText(change);
  }
  return `${node.flags.includes("incomplete") && !rest ? "≥ " : ""}${bytesText(bytes)}`;
}

// A directory itself takes space, for the names of its entries.
function restText(entries: number): string {
  return entries === 0 ? "itself" : counted(entries, "other", "others");
}
