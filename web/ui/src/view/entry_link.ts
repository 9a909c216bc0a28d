// A link that opens the directory of an entry, and selects the entry.

import { shown } from "../data/label";
import { type Path, partBelow } from "../data/path";
import { element } from "../dom";
import type { Tab } from "../state/address";
import type { Store } from "../state/store";
import { nameElement } from "./name";

/** Whether the click is for the page: no key, and the main button. */
export function isPlain(event: MouseEvent): boolean {
  const { ctrlKey, metaKey, shiftKey, altKey, button } = event;
  return !ctrlKey && !metaKey && !shiftKey && !altKey && button === 0;
}

/** The part of the path below what the table is about, with the whole path as its title. */
export function shortName(
  store: Store,
  path: Path,
  text = partBelow(path, store.subject.peek()),
): HTMLElement {
  const name = nameElement(text);
  name.title = shown(path);
  return name;
}

/** `text` is what is shown of the path: by default, as in shortName(). `tab` is the one to show. */
export function entryLink(
  store: Store,
  path: Path,
  text?: Path,
  tab: Tab = "directory",
): HTMLAnchorElement {
  const directory = store.roots.peek().parentOf(path) ?? path;
  const href = store.linkTo({ path: directory, selected: path, tab });
  const link = element("a", { href }, shortName(store, path, text));
  link.addEventListener("click", (event) => {
    if (!isPlain(event)) return;
    event.preventDefault();
    event.stopPropagation();
    store.reveal(path, "push", tab);
  });
  link.addEventListener("pointerenter", () => {
    store.hover.value = path;
  });
  link.addEventListener("pointerleave", () => {
    store.hover.value = undefined;
  });
  return link;
}
