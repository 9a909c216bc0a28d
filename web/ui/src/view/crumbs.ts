// Breadcrumbs: links to the directories from the top to the current one.

import { lastName, type Path } from "../data/path";
import { element } from "../dom";
import type { Host } from "./host";
import { nameElement } from "./name";

export class Crumbs {
  private shown = "";

  constructor(
    private readonly host: Host,
    private readonly nav: HTMLElement,
  ) {}

  update(): void {
    const { roots, view } = this.host;
    const trail = roots.trailOf(view.path);
    const now = trail.join("\n") + this.host.linkTo({});
    if (now === this.shown) return;
    this.shown = now;
    const items = trail.map((path, at) => this.item(path, at === trail.length - 1));
    this.nav.replaceChildren(element("ol", {}, ...items));
    this.nav.scrollLeft = this.nav.scrollWidth;
  }

  private item(path: Path, isLast: boolean): HTMLLIElement {
    const link = element("a", { href: this.host.linkTo({ path }) }, this.nameOf(path));
    if (isLast) link.setAttribute("aria-current", "page");
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
      event.preventDefault();
      this.host.go({ path });
    });
    return element("li", {}, link);
  }

  private nameOf(path: Path): Node | string {
    if (path === "") return "All";
    const isRoot = this.host.roots.paths.includes(path);
    return nameElement(isRoot ? path : lastName(path) || path);
  }
}
