// The results of a search by name.

import { shown } from "../data/label";
import { dateText, timeText } from "../data/moment";
import { bytesText, counted, grouped } from "../data/number";
import { pathOf } from "../data/path";
import { element, setText } from "../dom";
import { api, bytesBy, type FoundEntry, type Page, type SearchAnswer } from "../net/api";
import { firstRows } from "../net/rows";
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
  private results: FoundEntry[] = [];
  private matches = 0;
  private shownFor = "";
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
    this.more = new More(() => void this.loadMore());
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
    void this.load();
  }

  refresh(): void {
    void this.load();
  }

  recolour(): void {
    const icons = this.body.querySelectorAll(".kind");
    for (const [at, old] of icons.entries())
      old.replaceWith(kindIcon(this.results[at]!, this.host.colours));
  }

  // Requests as many rows as are on display, so that a new snapshot does not shorten the table.
  private async load(atLeast = this.results.length): Promise<void> {
    const { query, within, path } = this.host.view;
    this.below.checked = within;
    setText(
      this.belowText,
      path === "" ? "only below this directory" : `only below ${shown(path)}`,
    );
    if (query === "") {
      this.clear();
      return;
    }
    const { subject } = this;
    const wanted = Math.max(pageSize, subject === this.shownFor ? atLeast : 0);
    try {
      const answer = await this.slot.take((signal) =>
        firstRows("results", wanted, (page) => this.ask(page, signal)),
      );
      if (!answer) return;
      this.shownFor = subject;
      this.fill(answer);
    } catch (error) {
      this.host.failed(error);
    }
  }

  private clear(): void {
    this.slot.clear();
    this.results = [];
    this.matches = 0;
    this.body.replaceChildren();
    this.table.hidden = true;
    this.more.update(0, 0);
    setText(this.about, "Search for part of a name, or use a pattern with *, ? and [...].");
  }

  private async loadMore(): Promise<void> {
    const offset = this.results.length;
    if (this.slot.busy || offset >= this.matches || this.subject !== this.shownFor) return;
    try {
      const page = { offset, limit: pageSize };
      const answer = await this.slot.take((signal) => this.ask(page, signal));
      if (answer?.generation === this.generation) this.add(answer);
      else if (answer) void this.load(offset + pageSize); // other rows do not match these
    } catch (error) {
      this.host.failed(error);
    }
  }

  // What the rows are results of.
  private get subject(): string {
    const { query, within, path, measure } = this.host.view;
    return [measure, within ? path : "", query].join(" ");
  }

  private ask(page: Page, signal: AbortSignal): Promise<SearchAnswer> {
    const { query, within, path, measure } = this.host.view;
    return api.search(query, within ? path : "", measure, page, signal);
  }

  private fill(answer: SearchAnswer): void {
    this.body.replaceChildren();
    this.results = [];
    this.generation = answer.generation;
    this.add(answer);
    const sofar = this.host.status?.state === "scanning" ? " so far" : "";
    const matches = counted(answer.matches, "match", "matches");
    const found =
      answer.matches === 0
        ? `No matches${sofar}. Search looks at names, not paths. Wildcards: * ? [...]`
        : `${matches}${sofar}, ${bytesText(answer.bytes)} in total.`;
    setText(this.about, found);
    this.host.announce(found);
  }

  private add(answer: SearchAnswer): void {
    this.matches = answer.matches;
    this.results.push(...answer.results);
    this.body.append(...answer.results.map((result) => this.makeRow(result)));
    this.table.hidden = answer.matches === 0;
    this.more.update(this.results.length, this.matches);
  }

  private makeRow(result: FoundEntry): HTMLTableRowElement {
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
