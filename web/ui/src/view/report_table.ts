// A report as a table. The server names its columns.

import { grouped } from "../data/number";
import type { Path } from "../data/path";
import { element, setText } from "../dom";
import { api, type Column, type Page, type Report, type ReportKind, type Row } from "../net/api";
import { firstRows } from "../net/rows";
import { Slot } from "../net/slot";
import { cellOf, isFigure } from "./cells";
import type { Host, Panel } from "./host";
import { More } from "./more";
import { nameElement } from "./name";

export interface ReportOptions {
  readonly kind: ReportKind;
  readonly about: string; // a sentence above the table
  readonly empty: string; // shown instead of a table without rows
  readonly count?: number;
  readonly hidden?: readonly string[]; // columns that are useless here
  /** The element before the text of the first cell. */
  readonly badge?: (row: Row, host: Host) => Node | undefined;
  /** The target of the link in the first cell. */
  readonly link?: (row: Row, host: Host) => string | undefined;
  /** The text of a cell without a value. */
  readonly instead?: (row: Row, key: string) => string | undefined;
}

const pageSize = 100;
const linked = new Set(["path", "deepest_path", "largest_directory"]);

export class ReportTable implements Panel {
  readonly element: HTMLElement;
  private readonly caption = element("caption", { class: "unseen" });
  private readonly head = element("tr");
  private readonly body = element("tbody");
  private readonly table: HTMLTableElement;
  private readonly note = element("p", { class: "note", hidden: true });
  private readonly more: More;
  private readonly slot = new Slot();

  private columns: readonly Column[] = [];
  private rows: Row[] = [];
  private total = 0;
  private generation = -1;

  constructor(
    private readonly host: Host,
    private readonly options: ReportOptions,
  ) {
    this.table = element(
      "table",
      { class: "report" },
      this.caption,
      element("thead", {}, this.head),
      this.body,
    );
    this.more = new More(() => void this.loadMore());
    this.element = element(
      "div",
      { class: "scroll" },
      element("p", { class: "about" }, options.about),
      this.table,
      this.note,
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
    if (this.options.badge) this.body.replaceChildren(...this.rows.map((row) => this.makeRow(row)));
  }

  // Requests as many rows as are on display, so that a new snapshot does not shorten the table.
  private async load(atLeast = this.rows.length): Promise<void> {
    const wanted = Math.max(pageSize, atLeast);
    try {
      const report = await this.slot.take((signal) =>
        firstRows("rows", wanted, (page) => this.ask(page, signal)),
      );
      if (report) this.fill(report);
    } catch (error) {
      this.host.failed(error);
    }
  }

  private async loadMore(): Promise<void> {
    const offset = this.rows.length;
    if (this.slot.busy || offset >= this.total) return;
    try {
      const page = { offset, limit: pageSize };
      const report = await this.slot.take((signal) => this.ask(page, signal));
      if (report?.generation === this.generation) this.add(report);
      else if (report) void this.load(offset + pageSize); // other rows do not match these
    } catch (error) {
      this.host.failed(error);
    }
  }

  private ask(page: Page, signal: AbortSignal): Promise<Report> {
    const { kind, count } = this.options;
    return api.report(kind, this.host.view.measure, page, count, signal);
  }

  private fill(report: Report): void {
    const hidden = [...(this.options.hidden ?? []), this.otherSize()];
    this.generation = report.generation;
    this.columns = report.columns.filter(({ key }) => !hidden.includes(key));
    this.head.replaceChildren(...this.columns.map(headingOf));
    this.body.replaceChildren();
    this.rows = [];
    this.add(report);
  }

  private add(report: Report): void {
    this.rows.push(...report.rows);
    this.body.append(...report.rows.map((row) => this.makeRow(row)));
    this.total = report.total;
    setText(this.caption, `${report.title}: ${grouped(report.total)}`);
    this.table.hidden = this.rows.length === 0;
    this.note.hidden = !this.table.hidden;
    setText(this.note, this.options.empty);
    this.more.update(this.rows.length, this.total);
  }

  // The column of the other measure, which is hidden: there is room for one.
  private otherSize(): string {
    return this.host.view.measure === "apparent" ? "disk_bytes" : "apparent_bytes";
  }

  private makeRow(row: Row): HTMLTableRowElement {
    const now = this.host.status?.taken ?? Date.now() / 1000;
    const cells = this.columns.map((column) => {
      const showPath = linked.has(column.key)
        ? (path: Path) => entryLink(this.host, path)
        : undefined;
      const cell = cellOf(row, column, now, showPath);
      const isNothing = row[column.key] === null || row[column.key] === "";
      const text = isNothing ? this.options.instead?.(row, column.key) : undefined;
      if (text !== undefined) cell.textContent = text;
      return cell;
    });
    const first = cells[0];
    const link = this.options.link?.(row, this.host);
    if (first && link !== undefined) {
      first.replaceChildren(element("a", { href: link }, ...first.childNodes));
    }
    const badge = this.options.badge?.(row, this.host);
    if (first && badge)
      first.replaceChildren(element("span", { class: "cell" }, badge, ...first.childNodes));
    return element("tr", {}, ...cells);
  }
}

function headingOf(column: Column): HTMLElement {
  const className = isFigure(column) ? `number ${column.type}` : column.type;
  return element("th", { scope: "col", class: className }, column.heading);
}

/** A link that opens the directory of the entry, and selects the entry. */
export function entryLink(host: Host, path: Path): HTMLAnchorElement {
  const directory = host.roots.parentOf(path) ?? path;
  const href = host.linkTo({ path: directory, tab: "directory" });
  const link = element("a", { href }, nameElement(path));
  link.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    host.reveal(path);
  });
  return link;
}
