// The results of a search by name.

import { shown } from "../data/label";
import { dateText, timeText } from "../data/moment";
import { bytesText, counted, grouped } from "../data/number";
import { pathOf } from "../data/path";
import { element, setText } from "../dom";
import { api, bytesBy, type Entry, type SearchAnswer, type WithPath } from "../net/api";
import { Slot } from "../net/slot";
import type { Host, Panel } from "./host";
import { kindIcon } from "./kind_icon";
import { More } from "./more";
import { entryLink } from "./report_table";

const pageSize = 100;

export class SearchResults implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly below = element("input", { type: "checkbox" });
  private readonly belowText = element("span");
  private readonly body = element("tbody");
  private readonly table: HTMLTableElement;
  private readonly more: More;
  private readonly slot = new Slot();
  private loaded = 0;
  private matches = 0;
  private generation = -1;

  constructor(private readonly host: Host) {
    const head = element(
      "tr",
      {},
      element("th", { scope: "col", class: "path" }, "Path"),
      element("th", { scope: "col", class: "number bytes" }, "Size"),
      element("th", { scope: "col", class: "time" }, "Modified"),
    );
    const caption = element("caption", { class: "unseen" }, "Search results");
    this.table = element(
      "table",
      { class: "report" },
      caption,
      element("thead", {}, head),
      this.body,
    );
    this.more = new More(() => void this.load(false));
    this.below.addEventListener("change", () => host.go({ within: this.below.checked }, "replace"));
    this.element = element(
      "div",
      { class: "scroll" },
      this.about,
      element("label", { class: "option" }, this.below, this.belowText),
      this.table,
      this.more.element,
    );
  }

  show(): void {
    void this.load(true);
  }

  refresh(): void {
    void this.load(true);
  }

  private async load(fromStart: boolean): Promise<void> {
    const { query, within, path, measure } = this.host.view;
    this.below.checked = within;
    setText(
      this.belowText,
      path === "" ? "only below this directory" : `only below ${shown(path)}`,
    );
    if (query === "") {
      this.slot.clear();
      this.loaded = this.matches = 0;
      this.body.replaceChildren();
      this.table.hidden = true;
      this.more.update(0, 0);
      setText(this.about, "Search for part of a name, or use a pattern with *, ? and [...].");
      return;
    }
    if (!fromStart && (this.slot.busy || this.loaded >= this.matches)) return;
    const limit = fromStart ? Math.min(1000, Math.max(pageSize, this.loaded)) : pageSize;
    const page = { offset: fromStart ? 0 : this.loaded, limit };
    try {
      const answer = await this.slot.take((signal) =>
        api.search(query, within ? path : "", measure, page, signal),
      );
      if (!answer || (!fromStart && answer.generation !== this.generation)) return;
      this.fill(answer, fromStart);
    } catch (error) {
      this.host.failed(error);
    }
  }

  private fill(answer: SearchAnswer, fromStart: boolean): void {
    if (fromStart) {
      this.body.replaceChildren();
      this.loaded = 0;
      this.generation = answer.generation;
    }
    this.matches = answer.matches;
    this.loaded += answer.results.length;
    this.body.append(...answer.results.map((result) => this.makeRow(result)));
    this.table.hidden = answer.matches === 0;
    const sofar = this.host.status?.state === "scanning" ? " so far" : "";
    const matches = counted(answer.matches, "match", "matches");
    const found =
      answer.matches === 0
        ? `No matches${sofar}. Search looks at names, not paths. Wildcards: * ? [...]`
        : `${matches}${sofar}, ${bytesText(answer.bytes)} in total.`;
    setText(this.about, found);
    if (fromStart) this.host.announce(found);
    this.more.update(this.loaded, this.matches);
  }

  private makeRow(result: Entry & WithPath): HTMLTableRowElement {
    const { host } = this;
    const bytes = bytesBy(result, host.view.measure);
    const path = pathOf(result.path, result.path_b64);
    return element(
      "tr",
      {},
      element(
        "td",
        { class: "path" },
        element("span", { class: "cell" }, kindIcon(result, host.colours), entryLink(host, path)),
      ),
      element("td", { class: "number bytes", title: `${grouped(bytes)} bytes` }, bytesText(bytes)),
      result.modified === null
        ? element("td", { class: "time" }, "-")
        : element(
            "td",
            { class: "time", title: timeText(result.modified) },
            dateText(result.modified),
          ),
    );
  }
}
