// Cuts the label of a box to the room in it.

import { charactersOf, type Piece } from "../data/label";

/** A label must have room for so many characters; shorter pieces of names say nothing. */
const leastCharacters = 5;
const longestExtension = 5;

export type WidthOf = (text: string) => number;

/** A label and its width. */
export interface Line {
  readonly pieces: readonly Piece[];
  readonly width: number;
}

/** The width of the pieces is the sum of those of their characters. */
export function lineOf(pieces: readonly Piece[], widthOf: WidthOf): Line {
  return { pieces, width: pieces.reduce((sum, { text }) => sum + widthOf(text), 0) };
}

function joined(characters: readonly Piece[]): Piece[] {
  const pieces: { text: string; escaped: boolean }[] = [];
  for (const { text, escaped } of characters) {
    const last = pieces[pieces.length - 1];
    if (last && last.escaped === escaped) last.text += text;
    else pieces.push({ text, escaped });
  }
  return pieces;
}

// The characters after the last dot, if they look like an extension: not "1" or "a".
function extensionIn(characters: readonly Piece[]): readonly Piece[] {
  const texts = characters.map(({ text }) => text);
  const dot = texts.lastIndexOf(".");
  const extension = texts.slice(dot + 1);
  const fits = dot > 0 && extension.length <= longestExtension;
  return fits && /^[a-z]\w+$/i.test(extension.join("")) ? characters.slice(dot + 1) : [];
}

/**
 * The name if it fits; otherwise its beginning and, if there is room, its extension
 * ("linux-source…xz"). Undefined if fewer than five characters of it would be left.
 */
export function fitted(
  pieces: readonly Piece[],
  room: number,
  widthOf: WidthOf,
  keepExtension = true,
): Line | undefined {
  const whole = lineOf(pieces, widthOf);
  if (whole.width <= room) return room >= leastCharacters * widthOf("n") ? whole : undefined;
  const characters = charactersOf(pieces);
  const ellipsis: Piece = { text: "…", escaped: false };
  const extension = keepExtension ? extensionIn(characters) : [];
  for (const tail of extension.length > 0 ? [extension, []] : [[]]) {
    const ending = [ellipsis, ...tail];
    let left = room - lineOf(ending, widthOf).width;
    let count = 0;
    while (count < characters.length) {
      left -= widthOf(characters[count]!.text);
      if (left < 0) break;
      ++count;
    }
    if (count >= leastCharacters) {
      return lineOf(joined([...characters.slice(0, count), ...ending]), widthOf);
    }
  }
  return undefined;
}
