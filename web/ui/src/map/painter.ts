// Draws boxes on a canvas: a directory as a frame with its name, any other box as a coloured rectangle.

import { type Colours, inkOn } from "../data/colour";
import { charactersOf, labelOf, type Piece } from "../data/label";
import { bytesText, counted } from "../data/number";
import { pathOf } from "../data/path";
import type { Box, Rect } from "./layout";

/** The colours of a theme for treemaps. */
export interface Palette {
  readonly ground: string; // behind everything
  readonly frames: readonly string[]; // of directories, by depth; deeper ones use the last
  readonly frameInk: string;
  readonly quietInk: string;
  readonly rest: string;
  readonly edge: string; // the light upper edge of a rectangle
}

interface Line {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

interface Label {
  readonly name: Line | undefined;
  readonly size: Line | undefined; // to the right of the name in a header, otherwise below it
}

const fonts = {
  header: "600 11px system-ui, sans-serif",
  name: "11.5px system-ui, sans-serif",
  size: "10.5px system-ui, sans-serif",
};
const margin = 5;
const lineHeight = 14;
const leastWidth = 26; // pixels of a box with a name
const leastHeight = 15;
const leastCharacters = 3;

const nothing: Label = { name: undefined, size: undefined };

export class Painter {
  private readonly labels = new Map<string, Label>();

  constructor(
    private readonly context: CanvasRenderingContext2D,
    private readonly palette: Palette,
    private readonly colours: Colours,
  ) {}

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
    else this.drawLeaf(box, at, width, height, labelled);
    context.globalAlpha = 1;
  }

  private drawFrame(box: Box, at: Rect, width: number, height: number, labelled: boolean): void {
    const { context, palette } = this;
    if (box.depth === 0) return;
    context.fillStyle = palette.frames[Math.min(box.depth, palette.frames.length) - 1]!;
    context.fillRect(at.x0, at.y0, width, height);
    if (!labelled || box.header === 0 || height < box.header) return;
    const { name, size } = this.labelOf(box);
    const baseline = at.y0 + box.header - 5.5;
    if (name && name.width <= roomIn(width)) {
      this.write(name, fonts.header, palette.frameInk, at.x0 + margin, baseline);
    }
    if (name && size && name.width + size.width + 3 * margin <= width) {
      this.write(size, fonts.size, palette.quietInk, at.x1 - margin - size.width, baseline);
    }
  }

  private drawLeaf(box: Box, at: Rect, width: number, height: number, labelled: boolean): void {
    const { context, palette } = this;
    const fill = box.rest ? palette.rest : this.colours.of(box.node);
    context.fillStyle = fill;
    context.fillRect(at.x0, at.y0, width, height);
    if (!box.rest && width > 5 && height > 5) {
      context.fillStyle = palette.edge;
      context.fillRect(at.x0, at.y0, width, 1);
    }
    if (!labelled || width < leastWidth || height < leastHeight) return;
    const { name, size } = this.labelOf(box);
    const ink = box.rest ? palette.quietInk : inkOn(fill);
    const fits = (line: Line | undefined, lines: number): line is Line =>
      line !== undefined && line.width <= roomIn(width) && lines * lineHeight <= height;
    const font = box.node.kind === "directory" && !box.rest ? fonts.header : fonts.name;
    // A size without a name is meaningless.
    if (!fits(name, 1)) return;
    this.write(name, font, ink, at.x0 + margin - 1, at.y0 + 12);
    if (fits(size, 2)) {
      context.globalAlpha *= 0.75;
      this.write(size, fonts.size, ink, at.x0 + margin - 1, at.y0 + 12 + lineHeight);
    }
  }

  private write(line: Line, font: string, ink: string, x: number, y: number): void {
    const { context } = this;
    context.font = font;
    context.fillStyle = ink;
    let left = x;
    for (const { text, escaped } of line.pieces) {
      context.fillText(text, left, y);
      if (line.pieces.length === 1 && !escaped) return;
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
    const width = roomIn(box.x1 - box.x0);
    if (width < leastWidth - 2 * margin) return nothing;
    const heading = box.divided || (box.node.kind === "directory" && !box.rest);
    const font = heading ? fonts.header : fonts.name;
    const size = this.lineOf([{ text: bytesText(box.bytes), escaped: false }], fonts.size);
    return {
      name: box.rest
        ? this.lineOfRest(box.rest.entries, width)
        : this.fitted(labelOf(pathOf(box.node.name, box.node.name_b64)), font, width),
      size: size.width <= width ? size : undefined,
    };
  }

  // A truncated number would be a wrong number.
  private lineOfRest(entries: number, width: number): Line | undefined {
    return [restText(entries), "others"]
      .map((text) => this.lineOf([{ text, escaped: false }], fonts.name))
      .find((line) => line.width <= width);
  }

  private lineOf(pieces: readonly Piece[], font: string): Line {
    return { pieces, width: pieces.reduce((sum, { text }) => sum + this.widthOf(text, font), 0) };
  }

  // Cut in the middle, because names often differ at their ends.
  private fitted(pieces: readonly Piece[], font: string, width: number): Line | undefined {
    const whole = this.lineOf(pieces, font);
    if (whole.width <= width) return whole;
    const characters = charactersOf(pieces);
    let fits: Line | undefined;
    let least = leastCharacters;
    let most = characters.length - 1;
    while (least <= most) {
      const count = (least + most) >> 1;
      const tail = count >> 1;
      const cut = joined([
        ...characters.slice(0, count - tail),
        { text: "…", escaped: false },
        ...characters.slice(characters.length - tail),
      ]);
      const line = this.lineOf(cut, font);
      if (line.width <= width) {
        fits = line;
        least = count + 1;
      } else {
        most = count - 1;
      }
    }
    return fits;
  }

  private widthOf(text: string, font: string): number {
    let width = 0;
    for (const character of text) width += this.widthOfCharacter(character, font);
    return width;
  }

  private widthOfCharacter(character: string, font: string): number {
    const key = font + character;
    let width = widths.get(key);
    if (width === undefined) {
      this.context.font = font;
      width = this.context.measureText(character).width;
      widths.set(key, width);
    }
    return width;
  }
}

// The width for a line of text in a box of that width.
function roomIn(width: number): number {
  return width - 2 * margin + 2;
}

// Widths of single characters, by font. Measuring each candidate text would take longer than drawing
// all of them.
const widths = new Map<string, number>();

function joined(characters: readonly Piece[]): Piece[] {
  const pieces: { text: string; escaped: boolean }[] = [];
  for (const { text, escaped } of characters) {
    const last = pieces[pieces.length - 1];
    if (last && last.escaped === escaped) last.text += text;
    else pieces.push({ text, escaped });
  }
  return pieces;
}

// A directory itself takes space, for the names of its entries.
function restText(entries: number): string {
  return entries === 0 ? "itself" : counted(entries, "other", "others");
}
