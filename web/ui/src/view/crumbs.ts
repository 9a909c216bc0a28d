// Breadcrumbs: links to the directories from the top to the current one.

import { effect } from "@preact/signals-core";

import type { Path } from "../data/path";
import { byId, element } from "../dom";
import type { Store } from "../state/store";
import { isPlain } from "./entry_link";
import { nameElement } from "./name";

export class Crumbs {
  private readonly nav = byId("crumbs");

  constructor(private readonly store: Store) {
    effect(() => this.update());
  }

  private update(): void {
    const { store } = this;
    void store.view.value; // the links contain all of it
    const trail = store.roots.value.trailOf(store.directory.value);
    const items = trail.map((path, at) => this.item(path, at === trail.length - 1));
    this.nav.replaceChildren(element("ol", {}, ...items));
    this.nav.scrollLeft = this.nav.scrollWidth;
  }

  private item(path: Path, isLast: boolean): HTMLLIElement {
    const { store } = this;
    const name = path === "" ? "All" : nameElement(store.nameOf(path));
    const link = element("a", { href: store.linkTo({ path, selected: undefined }) }, name);
    if (isLast) link.setAttribute("aria-current", "page");
    link.addEventListener("click", (event) => {
      if (!isPlain(event)) return;
      event.preventDefault();
      store.open(path);
    });
    return element("li", {}, link);
  }
}
