// The legend of the colours, one line above the map. Choosing an entry lights up its boxes.

import { effect } from "@preact/signals-core";

import { changeLegend } from "../data/change";
import type { LegendEntry } from "../data/colour";
import { byId, element, mark } from "../dom";
import { sameHighlight } from "../state/highlight";
import type { Store } from "../state/store";
import { watch } from "../state/watch";

export class Legend {
  private readonly list = byId("legend");
  private entries: readonly LegendEntry[] = [];
  private buttons: (HTMLButtonElement | undefined)[] = [];

  constructor(private readonly store: Store) {
    effect(() => {
      const colours = store.colours.value;
      const compared = store.comparison.value !== undefined;
      byId("colouring").parentElement!.hidden = compared; // the map shows the change
      this.show(compared ? changeLegend(colours.scheme) : colours.legend());
    });
    watch(
      () => void store.highlight.value,
      () => this.mark(),
    );
  }

  private show(entries: readonly LegendEntry[]): void {
    if (JSON.stringify(entries) === JSON.stringify(this.entries)) return;
    this.entries = entries;
    this.buttons = [];
    this.list.replaceChildren(...entries.map((entry) => this.item(entry)));
    this.list.hidden = entries.length === 0;
    this.mark();
  }

  private item({ colour, text, condition }: LegendEntry): HTMLLIElement {
    const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.backgroundColor = colour;
    const content = [swatch, element("bdi", {}, text)];
    if (!condition) {
      this.buttons.push(undefined);
      return element("li", {}, ...content);
    }
    const button = element("button", { type: "button", class: "quiet" }, ...content);
    button.addEventListener("click", () => {
      const chosen = sameHighlight(condition, this.store.highlight.peek());
      this.store.go({ highlight: chosen ? undefined : condition }, "replace");
    });
    this.buttons.push(button);
    return element("li", {}, button);
  }

  private mark(): void {
    const now = this.store.highlight.peek();
    this.entries.forEach(({ condition }, at) => {
      const button = this.buttons[at];
      if (button) mark(button, "aria-pressed", String(sameHighlight(condition, now)));
    });
  }
}
