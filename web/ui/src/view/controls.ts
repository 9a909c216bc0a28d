// The controls: search, measure of size, and colouring.

import { effect } from "@preact/signals-core";

import type { ColourBy } from "../data/colour";
import { byId, element } from "../dom";
import { colourings, type Measure, measures } from "../state/address";
import type { Store } from "../state/store";

const whileTyping = 200; // ms without a key before a search

const measureTitles: Readonly<Record<Measure, readonly [text: string, title: string]>> = {
  disk: ["On disk", "Allocated blocks; each inode counts once"],
  apparent: ["Apparent", "File lengths"],
  exclusive: ["Exclusive", "Space freed by deleting only this"],
};
const afterScan = "Exclusive sizes are known when the scan is complete";

const colourTitles: Readonly<Record<ColourBy, string>> = {
  type: "type",
  branch: "directory",
  age: "age",
  owner: "owner",
};

export class Controls {
  private readonly query = byId<HTMLInputElement>("query");
  private readonly colouring = byId<HTMLSelectElement>("colouring");
  private readonly measures = new Map<Measure, HTMLInputElement>();
  private typing: number | undefined;

  constructor(private readonly store: Store) {
    this.wireSearch();
    this.makeMeasures();
    this.makeColourings();
    effect(() => {
      const { measure, colour, query } = store.view.value;
      for (const [name, input] of this.measures) input.checked = name === measure;
      this.colouring.value = colour;
      if (document.activeElement !== this.query) this.query.value = query;
    });
    effect(() => {
      const input = this.measures.get("exclusive")!;
      input.disabled = store.scanning.value;
      input.parentElement!.title = input.disabled ? afterScan : measureTitles.exclusive[1];
    });
  }

  focusSearch(): void {
    this.query.focus();
    this.query.select();
  }

  nextMeasure(): void {
    const possible = measures.filter((name) => !this.measures.get(name)!.disabled);
    const at = possible.indexOf(this.store.measure.peek());
    this.store.go({ measure: possible[(at + 1) % possible.length]! });
  }

  nextColouring(): void {
    const at = colourings.indexOf(this.store.view.peek().colour);
    this.store.go({ colour: colourings[(at + 1) % colourings.length]! });
  }

  private wireSearch(): void {
    this.query.addEventListener("input", () => {
      window.clearTimeout(this.typing);
      this.typing = window.setTimeout(() => this.search(), whileTyping);
    });
    byId("search").addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
  }

  private search(): void {
    window.clearTimeout(this.typing);
    const query = this.query.value;
    const searching = this.store.tab.peek() === "search";
    if (query === "" && !searching) return;
    this.store.go({ query, tab: "search" }, searching ? "replace" : "push");
  }

  private makeMeasures(): void {
    for (const measure of measures) {
      const [text, title] = measureTitles[measure];
      const input = element("input", { type: "radio", name: "measure", value: measure });
      input.addEventListener("change", () => this.store.go({ measure }));
      this.measures.set(measure, input);
      byId("measures").append(element("label", { title }, input, element("span", {}, text)));
    }
  }

  private makeColourings(): void {
    for (const by of colourings) {
      this.colouring.append(element("option", { value: by }, colourTitles[by]));
    }
    this.colouring.addEventListener("change", () => {
      const colour = colourings.find((by) => by === this.colouring.value);
      if (colour) this.store.go({ colour });
    });
  }
}
