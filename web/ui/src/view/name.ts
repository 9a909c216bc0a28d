// Names and paths as elements: escapes are marked; the style cuts long names at the end, and long paths
// at the beginning, so that what differs remains.

import { labelOf, textOf } from "../data/label";
import type { Path } from "../data/path";
import { element } from "../dom";

/** The element of a name or path. Its title is the whole text. */
export function nameElement(path: Path): HTMLElement {
  const pieces = labelOf(path);
  const name = element("bdi", { class: "name", title: textOf(pieces) });
  const isPath = path.includes("/");
  const inner = isPath ? element("bdi", { dir: "ltr" }) : name;
  for (const { text, escaped } of pieces) {
    inner.append(escaped ? element("span", { class: "escape" }, text) : text);
  }
  if (isPath) {
    name.dir = "rtl";
    name.append(inner);
  }
  return name;
}
