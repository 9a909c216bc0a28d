// A link that opens the directory of an entry, and selects the entry.

import type { Path } from "../data/path";
import { element } from "../dom";
import type { Store } from "../state/store";
import { nameElement } from "./name";

/** Whether the click is for the page: no key, and the main button. */
export function isPlain(event: MouseEvent): boolean {
  const { ctrlKey, metaKey, shiftKey, altKey, button } = event;
  return !ctrlKey && !metaKey && !shiftKey && !altKey && button === 0;
}

/** `text` is what is shown of the path: all of it, or the part below the shown directory. */
export function entryLink(store: Store, path: Path, text: Path = path): HTMLAnchorElement {
  const directory = store.roots.peek().parentOf(path) ?? path;
  const href = store.linkTo({ path: directory, selected: path, tab: "directory" });
  const name = nameElement(text);
  if (text !== path) name.title = nameElement(path).title;
  const link = element("a", { href }, name);
  link.addEventListener("click", (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    event.stopPropagation();
    store.reveal(path);
  });
  link.addEventListener("pointerenter", () => {
    store.hover.value = path;
  });
  link.addEventListener("pointerleave", () => {
    store.hover.value = undefined;
  });
  return link;
}
