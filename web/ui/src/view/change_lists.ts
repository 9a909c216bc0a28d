// The lists of what has grown, is new, is gone or was moved, in the panel of growth.

import { changeText } from "../data/change";
import type { ChangeList, ListedChange } from "../data/change_lists";
import { bytesText, grouped } from "../data/number";
import { type Path, partBelow } from "../data/path";
import { element } from "../dom";
import type { Store } from "../state/store";
import { entryLink, shortName } from "./entry_link";
import { kindIcon, kindWord } from "./kind_icon";

/** Shows the path as it is below the directory. */
export function changeLink(
  store: Store,
  { path, tab }: ListedChange,
  directory: Path,
): HTMLAnchorElement {
  return entryLink(store, path, partBelow(path, directory), tab);
}

export class ChangeLists {
  readonly element = element("div", { class: "lists", hidden: true });

  constructor(private readonly store: Store) {}

  /** Paths are shown as they are below the directory. */
  show(lists: readonly ChangeList[], directory: Path): void {
    this.element.hidden = lists.length === 0;
    this.element.replaceChildren(...lists.flatMap((list) => this.list(list, directory)));
  }

  private list({ title, total, changes }: ChangeList, directory: Path): HTMLElement[] {
    const more = total - changes.length;
    const items = changes.map((change) => this.item(change, directory));
    if (more > 0) items.push(element("li", { class: "quiet" }, `and ${grouped(more)} more`));
    const list = element("ul", { "aria-label": title }, ...items);
    return [element("h2", {}, title), list];
  }

  private item(change: ListedChange, directory: Path): HTMLElement {
    const { store } = this;
    const { from, kind, bytes } = change;
    const link = changeLink(store, change, directory);
    const item = element("li", {}, kindIcon(kind, undefined), link);
    if (kind !== "file") item.append(element("span", { class: "unseen" }, `, ${kindWord(kind)}`));
    if (from !== undefined)
      item.append(
        element("span", { class: "quiet" }, "from"),
        shortName(store, from, partBelow(from, directory)),
      );
    const text = from === undefined ? changeText(bytes) : bytesText(bytes);
    item.append(element("span", { class: "number" }, text));
    return item;
  }
}
