// Names and paths as elements: escapes are marked, and long names are cut in the middle.

import { charactersOf, labelOf, type Piece, textOf } from "../data/label";
import type { Path } from "../data/path";
import { element } from "../dom";

const leastForTail = 12; // characters of a name whose end is kept
const longestTail = 10;
const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;

function part(className: string, pieces: readonly Piece[]): HTMLElement {
  const span = element("span", { class: className });
  for (const { text, escaped } of pieces) {
    span.append(escaped ? element("span", { class: "escape" }, text) : text);
  }
  return span;
}

/** The element of a name or path. Its title is the whole text. */
export function nameElement(path: Path): HTMLElement {
  const pieces = labelOf(path);
  const text = textOf(pieces);
  const name = element("bdi", { class: "name", title: text });
  const characters = text.length >= leastForTail ? charactersOf(pieces) : [];
  if (characters.length < leastForTail || rightToLeft.test(text)) {
    name.append(part("head", pieces));
  } else {
    const tail = Math.min(longestTail, Math.floor(characters.length / 3));
    const parts = [part("head", characters.slice(0, -tail)), part("tail", characters.slice(-tail))];
    // Screen readers read the whole name.
    for (const half of parts) half.setAttribute("aria-hidden", "true");
    name.append(element("span", { class: "unseen" }, text), ...parts);
  }
  return name;
}
