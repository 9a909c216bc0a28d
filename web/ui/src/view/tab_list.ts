// Tabs, following the WAI-ARIA pattern: Tab reaches one of them, the arrow keys the others.

import { grouped } from "../data/number";
import { element, mark } from "../dom";
import type { Tab } from "../state/address";

export class TabList {
  private readonly buttons = new Map<Tab, HTMLButtonElement>();
  private readonly notes = new Map<Tab, HTMLElement>();

  constructor(
    private readonly list: HTMLElement,
    private readonly panel: HTMLElement,
    titles: readonly (readonly [Tab, string, string?])[],
    private readonly wanted: (tab: Tab) => void,
  ) {
    for (const [tab, title, longer] of titles) {
      const note = element("span", { class: "tally", hidden: true });
      const button = element(
        "button",
        { type: "button", role: "tab", id: `tab-${tab}`, "aria-controls": panel.id, title: longer },
        title,
        note,
      );
      button.addEventListener("click", () => wanted(tab));
      this.buttons.set(tab, button);
      this.notes.set(tab, note);
      list.append(button);
    }
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("scroll", () => this.showEnds(), { passive: true });
    new ResizeObserver(() => this.showEnds()).observe(list);
  }

  select(tab: Tab): void {
    for (const [name, button] of this.buttons) {
      const isIt = name === tab;
      mark(button, "aria-selected", String(isIt));
      mark(button, "tabindex", isIt ? undefined : "-1");
      if (isIt) {
        mark(this.panel, "aria-labelledby", button.id);
        const { left, right } = button.getBoundingClientRect();
        const frame = this.list.getBoundingClientRect();
        if (left < frame.left) this.list.scrollLeft += left - frame.left - 24;
        else if (right > frame.right) this.list.scrollLeft += right - frame.right + 24;
      }
    }
  }

  /** A number after the title, such as the number of errors. */
  setCount(tab: Tab, count: number): void {
    const note = this.notes.get(tab)!;
    note.textContent = count > 0 ? grouped(count) : "";
    note.hidden = count === 0;
  }

  // Tabs that are cut off fade out at that side.
  private showEnds(): void {
    const { scrollLeft, scrollWidth, clientWidth } = this.list;
    this.list.classList.toggle("more-left", scrollLeft > 1);
    this.list.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 1);
  }

  private key(event: KeyboardEvent): void {
    const names = [...this.buttons.keys()];
    const at = names.findIndex((name) => this.buttons.get(name) === document.activeElement);
    if (at < 0) return;
    const next: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % names.length,
      ArrowLeft: (at + names.length - 1) % names.length,
      Home: 0,
      End: names.length - 1,
    };
    const to = next[event.key];
    if (to === undefined) return;
    event.preventDefault();
    this.wanted(names[to]!);
    this.buttons.get(names[to]!)!.focus();
  }
}
