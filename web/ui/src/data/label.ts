// Labels: names made safe to display.
//
// A name may contain any byte except NUL and '/': newlines, characters that reverse the text
// direction, characters without width. Everything but plain visible characters is escaped, as in
// the command: \n \t \x1b, \xff for a byte that is not UTF-8, \u202e, and \\ for a backslash.
// Escapes are separate pieces, so that views can distinguish them from names that look like one.

import { decodePath, type Path } from "./path";

export interface Piece {
  readonly text: string;
  readonly escaped: boolean;
}

// Control, unassigned and invisible characters, and line separators.
const unseen = /[\p{Cc}\p{Cn}\p{Cs}\p{Zl}\p{Zp}\p{Cf}\p{Default_Ignorable_Code_Point}]/u;
const blank = /[\p{Zs}]/u;
const ordinary = /^(?! )[ -.0-[\]-~]+(?<! )$/; // ASCII without controls, slashes, backslashes

const joiners = new Set([0x200c, 0x200d]); // Persian and emoji need them; elsewhere they deceive
const firstThatJoins = 0x300;
const emojiStyle = 0xfe0f;

/** A code point, or a byte that is not part of valid UTF-8. */
interface Unit {
  readonly code: number;
  readonly valid: boolean;
}

const leads = [
  { from: 0xc2, to: 0xdf, length: 2, least: 0x80 },
  { from: 0xe0, to: 0xef, length: 3, least: 0x800 },
  { from: 0xf0, to: 0xf4, length: 4, least: 0x10000 },
];

function unitAt(bytes: Uint8Array, at: number): { unit: Unit; length: number } {
  const first = bytes[at]!;
  const invalid = { unit: { code: first, valid: false }, length: 1 };
  if (first < 0x80) return { unit: { code: first, valid: true }, length: 1 };
  const lead = leads.find(({ from, to }) => from <= first && first <= to);
  if (!lead || at + lead.length > bytes.length) return invalid;
  let code = first & (0xff >> (lead.length + 1));
  for (let i = 1; i < lead.length; ++i) {
    const byte = bytes[at + i]!;
    if ((byte & 0xc0) !== 0x80) return invalid;
    code = (code << 6) | (byte & 0x3f);
  }
  const surrogate = 0xd800 <= code && code <= 0xdfff;
  if (code < lead.least || code > 0x10ffff || surrogate) return invalid;
  return { unit: { code, valid: true }, length: lead.length };
}

function unitsOf(bytes: Uint8Array): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { unit, length } = unitAt(bytes, at);
    units.push(unit);
    at += length;
  }
  return units;
}

function escapeOf({ code, valid }: Unit): string {
  if (!valid) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code === 0x0a) return "\\n";
  if (code === 0x09) return "\\t";
  if (code === 0x0d) return "\\r";
  if (code === 0x5c) return "\\\\";
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

const slash = 0x2f;

function needsEscape(units: Unit[], at: number): boolean {
  const { code, valid } = units[at]!;
  if (!valid || code === 0x5c) return true;
  const before = units[at - 1]?.code ?? slash;
  const after = units[at + 1]?.code ?? slash;
  if (joiners.has(code)) return before < firstThatJoins || after < firstThatJoins;
  if (code === emojiStyle)
    return before < firstThatJoins && !/[#*0-9©®]/.test(String.fromCodePoint(before));
  const character = String.fromCodePoint(code);
  if (unseen.test(character)) return true;
  return blank.test(character) && (before === slash || after === slash);
}

/** The pieces of a name or path, given its bytes. */
export function piecesOf(bytes: Uint8Array): Piece[] {
  const units = unitsOf(bytes);
  const pieces: { text: string; escaped: boolean }[] = [];
  units.forEach((unit, at) => {
    const escaped = needsEscape(units, at);
    const text = escaped ? escapeOf(unit) : String.fromCodePoint(unit.code);
    const last = pieces[pieces.length - 1];
    if (last && last.escaped === escaped) last.text += text;
    else pieces.push({ text, escaped });
  });
  return pieces;
}

/** The pieces of a percent-encoded path. */
export function labelOf(path: Path): Piece[] {
  if (!path.includes("%") && ordinary.test(path)) return [{ text: path, escaped: false }];
  return piecesOf(decodePath(path));
}

export function textOf(pieces: readonly Piece[]): string {
  return pieces.map(({ text }) => text).join("");
}

/** The same as textOf(labelOf(path)). */
export function shown(path: Path): string {
  return textOf(labelOf(path));
}

// Text is never cut within a grapheme, which readers see as one character.
const segments = new Intl.Segmenter("en", { granularity: "grapheme" });

/** The characters of the pieces: graphemes, and whole escapes. */
export function charactersOf(pieces: readonly Piece[]): Piece[] {
  return pieces.flatMap(({ text, escaped }): Piece[] => {
    const characters = escaped
      ? (text.match(/\\(x..|u....|U.{8}|.)/g) ?? [])
      : Array.from(segments.segment(text), ({ segment }) => segment);
    return characters.map((character) => ({ text: character, escaped }));
  });
}
