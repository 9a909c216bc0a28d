// A report as a table. The server names its columns.

import { grouped } from "../data/number";
import type { Path } from "../data/path";
import { element, mark, setText } from "../dom";
import { api, type Column, type Report, type ReportKind, type Row } from "../net/api";
import { type Page, PagedList, type Part } from "../net/paged_list";
import type { Tab } from "../state/address";
import type { Highlight } from "../state/highlight";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { cellOf, isFigure } from "./cells";
import { entryLink } from "./entry_link";
import { type Panel, whileShown } from "./panel";
import { placeText } from "./scope_bar";
import { VirtualTable } from "./virtual_table";

export interface ReportOptions {
  readonly tab: Tab;
  readonly kind: ReportKind;
  /** The sentence above the table; `place` is "in /srv" or "in the whole scan". */
  readonly about: (place: string) => string;
  readonly empty: string; // shown instead of a table without rows
  readonly count?: number;
  readonly hidden?: readonly string[]; // columns that are useless here
  /** What is highlighted by choosing the row, if anything. */
  readonly highlight?: (row: Row) => Highlight | undefined;
  /** The element before the text of the first cell. */
  readonly badge?: (row: Row, store: Store) => Node | undefined;
  /** The text of a cell without a value. */
  readonly instead?: (row: Row, key: string) => string | undefined;
}

const linked = new Set(["path", "deepest_path", "largest_directory"]);

export class ReportPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly note = element("p", { class: "note", hidden: true });
  private readonly list: PagedList<Row>;
  private readonly table: VirtualTable<Row>;
  private columns: readonly Column[] = [];

  constructor(
    private readonly store: Store,
    private readonly options: ReportOptions,
  ) {
    this.list = new PagedList<Row>(
      (page, signal) => this.ask(page, signal),
      (error) => store.failed(error),
    );
    this.table = new VirtualTable<Row>(this.list, {
      label: options.kind.replaceAll("_", " "),
      className: options.highlight ? "report choosable" : "report",
      keyOf: (row) => JSON.stringify(row.path ?? row.id ?? row),
      cellsOf: (row) => this.cells(row),
      mark: (line, row) => this.mark(line, row),
      choose: (row) => this.choose(row),
      enter: (row) => {
        if (options.highlight) this.choose(row);
        else document.activeElement?.querySelector("a")?.click();
      },
    });
    this.element = element("div", { class: "filled" }, this.about, this.table.element);
    this.table.element.append(this.note);
    whileShown(
      store,
      options.tab,
      () => `${store.measure.value === "apparent"} ${store.subject.value}`,
      (changed) => void this.load(changed),
    );
    watch(
      () => void store.highlight.value,
      () => this.table.remark(),
    );
    watch(
      () => void store.colours.value,
      () => this.table.remake(),
    );
  }

  focus(): void {
    this.table.focus();
  }

  private async load(changed: boolean): Promise<void> {
    setText(this.about, this.options.about(placeText(this.store)));
    await (changed ? this.list.restart() : this.list.refresh());
    if (changed) this.table.scrollToTop();
    const nothing = this.list.loaded && this.list.total === 0;
    this.note.hidden = !nothing;
    setText(this.note, this.options.empty);
  }

  private async ask(page: Page, signal: AbortSignal): Promise<Part<Row>> {
    const { kind, count } = this.options;
    const path = this.store.subject.peek();
    const measure = this.store.measure.peek();
    const report: Report = await api.report(kind, path, measure, page, signal, count);
    this.setColumns(report);
    return report;
  }

  private setColumns(report: Report): void {
    // There is room for one size: the column of the other measure is hidden.
    const other = this.store.measure.peek() === "apparent" ? "disk_bytes" : "apparent_bytes";
    const hidden = [...(this.options.hidden ?? []), other];
    this.columns = report.columns.filter(({ key }) => !hidden.includes(key));
    this.table.setHead(...this.columns.map(headingOf));
    this.table.setCaption(`${report.title}: ${grouped(report.total)}`);
  }

  private cells(row: Row): HTMLElement[] {
    const { store, options } = this;
    const cells = this.columns.map((column) => {
      const showPath = linked.has(column.key) ? (path: Path) => entryLink(store, path) : undefined;
      const cell = cellOf(row, column, store.taken.peek(), showPath);
      const isNothing = row[column.key] === null || row[column.key] === "";
      const text = isNothing ? options.instead?.(row, column.key) : undefined;
      if (text !== undefined) cell.textContent = text;
      return cell;
    });
    const badge = options.badge?.(row, store);
    const first = cells[0];
    if (first && badge) {
      first.replaceChildren(element("span", { class: "cell" }, badge, ...first.childNodes));
    }
    return cells;
  }

  private mark(line: HTMLTableRowElement, row: Row): void {
    const highlight = this.options.highlight?.(row);
    if (highlight) mark(line, "aria-selected", String(this.store.isLit(highlight)));
  }

  private choose(row: Row): void {
    const highlight = this.options.highlight?.(row);
    if (highlight) this.store.toggleHighlight(highlight);
  }
}

function headingOf(column: Column): HTMLElement {
  const className = isFigure(column) ? `number ${column.type}` : column.type;
  return element("th", { scope: "col", class: className }, column.heading);
}
