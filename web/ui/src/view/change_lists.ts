// The lists of what has grown, is new, is gone or was moved, in the panel of growth.

import { changeText } from "../data/change";
import { type ChangeList, changedMost, changeLists, type ListedChange } from "../data/change_lists";
import { bytesText, grouped } from "../data/number";
import { type Path, partBelow } from "../data/path";
import { element } from "../dom";
import type { Diff } from "../net/api";
import type { Store } from "../state/store";
import { entryLink, shortName } from "./entry_link";
import { kindIcon, kindWord } from "./kind_icon";

export class ChangeLists {
  readonly element = element("div", { class: "lists", hidden: true });
  readonly most = element("p", { class: "about forecast" }); // what changed most
  private shown = "";

  constructor(private readonly store: Store) {}

  /** Paths are shown as they are below the directory. The focus stays on its path. */
  show(diff: Diff | undefined, directory: Path): void {
    const lists = diff ? changeLists(diff) : [];
    const shown = JSON.stringify([lists, directory]);
    if (shown === this.shown) return;
    this.shown = shown;
    const focused = document.activeElement;
    const holder = [this.most, this.element].find((its) => its.contains(focused));
    const most = diff && changedMost(diff);
    this.most.replaceChildren(
      ...(most ? ["Changed most: ", this.link(most, directory), ` ${changeText(most.bytes)}`] : []),
    );
    this.element.hidden = lists.length === 0;
    this.element.replaceChildren(...lists.flatMap((list) => this.list(list, directory)));
    const links = [...(holder?.querySelectorAll("a") ?? [])];
    links.find((link) => link.textContent === focused!.textContent)?.focus({ preventScroll: true });
  }

  private link({ path, tab }: ListedChange, directory: Path): HTMLElement {
    return entryLink(this.store, path, partBelow(path, directory), tab);
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
    const link = this.link(change, directory);
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
