// The controls: search, measure of size, and colouring.

import { colourings, type Measure, measures, type View } from "../address";
import { byId, element } from "../dom";
import type { Host } from "./host";

const whileTyping = 200; // ms without a key before a search

const measureTitles: Readonly<Record<Measure, readonly [text: string, title: string]>> = {
  disk: ["On disk", "Allocated blocks; each inode counts once"],
  apparent: ["Apparent", "File lengths"],
  exclusive: ["Exclusive", "Space freed by deleting only this; known when the scan is complete"],
};

export class Controls {
  private readonly query = byId<HTMLInputElement>("query");
  private readonly colouring = byId<HTMLSelectElement>("colouring");
  private readonly measures = new Map<Measure, HTMLInputElement>();
  private typing: number | undefined;

  constructor(private readonly host: Host) {
    this.wireSearch();
    this.makeMeasures();
    this.makeColourings();
  }

  update(view: View): void {
    for (const [measure, input] of this.measures) input.checked = measure === view.measure;
    this.colouring.value = view.colour;
    if (document.activeElement !== this.query) this.query.value = view.query;
  }

  /** Disables the exclusive sizes, which are unknown until a scan is complete. */
  setScanning(scanning: boolean): void {
    this.measures.get("exclusive")!.disabled = scanning;
  }

  focusSearch(): void {
    this.query.focus();
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
    const searching = this.host.view.tab === "search";
    if (query === "" && !searching) return;
    this.host.go({ query, tab: "search" }, searching ? "replace" : "push");
  }

  private makeMeasures(): void {
    for (const measure of measures) {
      const [text, title] = measureTitles[measure];
      const input = element("input", { type: "radio", name: "measure", value: measure });
      input.addEventListener("change", () => this.host.go({ measure }));
      this.measures.set(measure, input);
      byId("measures").append(element("label", { title }, input, element("span", {}, text)));
    }
  }

  private makeColourings(): void {
    for (const by of colourings) {
      this.colouring.append(element("option", { value: by }, `by ${by}`));
    }
    this.colouring.addEventListener("change", () => {
      const colour = colourings.find((by) => by === this.colouring.value);
      if (colour) this.host.go({ colour });
    });
  }
}
