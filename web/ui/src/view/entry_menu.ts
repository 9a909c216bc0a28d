// The menu of an entry: what one can do with it.

import { shown } from "../data/label";
import type { Path } from "../data/path";
import { button, byId } from "../dom";
import type { Store } from "../state/store";
import { entryActions } from "./entry_actions";

export class EntryMenu {
  private readonly box = byId("menu");
  private opener: Element | null = null;

  constructor(private readonly store: Store) {
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focusout", (event) => {
      const next = event.relatedTarget;
      if (!(next instanceof Node) || !this.box.contains(next)) this.close(false);
    });
    document.addEventListener("pointerdown", (event) => {
      if (this.isOpen && !this.box.contains(event.target as Node)) this.close(false);
    });
  }

  get isOpen(): boolean {
    return !this.box.hidden;
  }

  open(path: Path, kind: string, at: { x: number; y: number }): void {
    this.opener = document.activeElement;
    const items = entryActions(this.store, path, kind).map(({ text, run }) => {
      const chosen = () => {
        this.close(true);
        run();
      };
      return button(text, chosen, { role: "menuitem", tabindex: -1 });
    });
    this.box.replaceChildren(...items);
    this.box.setAttribute("aria-label", shown(path));
    this.box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const { clientWidth, clientHeight } = document.documentElement;
    this.box.style.left = `${Math.max(4, Math.min(at.x, clientWidth - width - 4))}px`;
    this.box.style.top = `${Math.max(4, Math.min(at.y, clientHeight - height - 4))}px`;
    items[0]?.focus();
  }

  private close(refocus: boolean): void {
    if (!this.isOpen) return;
    const { opener } = this;
    this.box.hidden = true;
    if (refocus && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  }

  private key(event: KeyboardEvent): void {
    const items = [...this.box.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const target: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at + items.length - 1) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    const next = target[event.key];
    if (next !== undefined) items[next]!.focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
