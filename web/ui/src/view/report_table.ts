// A report as a table. The server names its columns.

import { grouped } from "../data/number";
import type { Path } from "../data/path";
import { element, setText } from "../dom";
import { api, type Report, type Row } from "../net/api";
import { Slot } from "../net/slot";
import { type Column, cellOf, isFigure } from "./cells";
import type { Host, Panel } from "./host";
import { More } from "./more";
import { nameElement } from "./name";

export interface ReportOptions {
  readonly kind: string;
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
  private loaded = 0; // rows requested, shown or not
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
    this.more = new More(() => void this.load(false));
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
    void this.load(true);
  }

  refresh(): void {
    void this.load(true);
  }

  private async load(fromStart: boolean): Promise<void> {
    if (!fromStart && (this.slot.busy || this.loaded >= this.total)) return;
    const { kind, count } = this.options;
    const page = fromStart
      ? { offset: 0, limit: Math.min(1000, Math.max(pageSize, this.loaded)) }
      : { offset: this.loaded, limit: pageSize };
    try {
      const report = await this.slot.take((signal) =>
        api.report(kind, this.host.view.measure, page, count, signal),
      );
      if (!report || (!fromStart && report.generation !== this.generation)) return;
      this.fill(report, fromStart);
    } catch (error) {
      this.host.failed(error);
    }
  }

  private fill(report: Report, fromStart: boolean): void {
    if (fromStart) {
      const hidden = [...(this.options.hidden ?? []), this.otherSize()];
      this.generation = report.generation;
      this.columns = report.columns.filter(({ key }) => !hidden.includes(key));
      this.head.replaceChildren(...this.columns.map(headingOf));
      this.body.replaceChildren();
      this.loaded = 0;
    }
    this.body.append(...report.rows.map((row) => this.makeRow(row)));
    this.loaded += report.rows.length;
    this.total = report.total;
    setText(this.caption, `${report.title}: ${grouped(report.total)}`);
    this.table.hidden = this.body.childElementCount === 0;
    this.note.hidden = !this.table.hidden;
    setText(this.note, this.options.empty);
    this.more.update(this.loaded, this.total);
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
