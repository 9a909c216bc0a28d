// Names and paths as elements: escapes are marked; the style cuts long ones at the end.

import { labelOf, textOf } from "../data/label";
import type { Path } from "../data/path";
import { element } from "../dom";

/** The element of a name or path. Its title is the whole text. */
export function nameElement(path: Path): HTMLElement {
  const pieces = labelOf(path);
  const name = element("bdi", { class: "name", title: textOf(pieces) });
  for (const { text, escaped } of pieces) {
    name.append(escaped ? element("span", { class: "escape" }, text) : text);
  }
  return name;
}
