// The legend of the colours.

import type { Colours } from "../data/colour";
import { element } from "../dom";

export function showLegend(list: HTMLElement, colours: Colours): void {
  const entries = colours.legend();
  const text = JSON.stringify(entries);
  if (list.dataset.entries === text) return;
  list.dataset.entries = text;
  list.replaceChildren(
    ...entries.map((entry) => {
      const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
      swatch.style.backgroundColor = entry.colour;
      return element("li", {}, swatch, element("bdi", {}, entry.text));
    }),
  );
}
