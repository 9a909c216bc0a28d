// The legend of the colours, one line above the map. Choosing an entry lights up its boxes.

import { effect } from "@preact/signals-core";

import { changeLegend } from "../data/change";
import type { LegendEntry } from "../data/colour";
import { button, byId, element, mark, swatch } from "../dom";
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
    // It may scroll: keys do that, too.
    mark(this.list, "tabindex", entries.some(({ condition }) => condition) ? undefined : "0");
    this.mark();
  }

  private item({ colour, text, condition }: LegendEntry): HTMLLIElement {
    const content = [swatch(colour), element("bdi", {}, text)];
    if (!condition) {
      this.buttons.push(undefined);
      return element("li", {}, ...content);
    }
    const choose = () => this.store.toggleHighlight(condition);
    const choice = button("", choose, { class: "quiet" });
    choice.append(...content);
    this.buttons.push(choice);
    return element("li", {}, choice);
  }

  private mark(): void {
    this.entries.forEach(({ condition }, at) => {
      const button = this.buttons[at];
      if (button && condition) mark(button, "aria-pressed", String(this.store.isLit(condition)));
    });
  }
}
