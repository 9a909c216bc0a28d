// The table of a directory: its entries, sorted by the server.

import { effect } from "@preact/signals-core";

import { shown } from "../data/label";
import { grouped } from "../data/number";
import { joinPath, lastName, type Path, pathOf, queryOf } from "../data/path";
import { button, element, mark, setText } from "../dom";
import { api, bytesBy, type ChildrenAnswer, type Entry } from "../net/api";
import { type Page, PagedList, type Part } from "../net/paged_list";
import { type Sort, usualOrder } from "../state/address";
import { plannedBy } from "../state/plan";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { factsOf, nameCell, ownerCell, sizeCell, timeCell } from "./entry_cells";
import type { EntryMenu } from "./entry_menu";
import { type Panel, whileShown } from "./panel";
import { VirtualTable } from "./virtual_table";

const columns: readonly { sort: Sort; heading: string; className: string }[] = [
  { sort: "name", heading: "Name", className: "name-cell" },
  { sort: "size", heading: "Size", className: "size-cell" },
  { sort: "entries", heading: "Entries", className: "number entries-cell" },
  { sort: "modified", heading: "Modified", className: "time-cell" },
  { sort: "owner", heading: "Owner", className: "owner-cell" },
];

interface Row {
  readonly path: Path;
  readonly entry: Entry;
}

export class DirectoryPanel implements Panel {
  readonly element: HTMLElement;
  private readonly note = element("p", { class: "note", hidden: true });
  private readonly headings = new Map<Sort, HTMLTableCellElement>();
  private readonly list: PagedList<Row>;
  private readonly table: VirtualTable<Row>;
  private around: Entry | undefined; // the directory of the rows
  private directory: Path = "";

  constructor(
    private readonly store: Store,
    entryMenu: EntryMenu,
  ) {
    this.list = new PagedList<Row>(
      (page, signal) => this.ask(page, signal),
      (error) => store.failed(error),
    );
    this.table = new VirtualTable<Row>(this.list, {
      label: "Directory",
      className: "entries",
      keyOf: ({ path }) => path,
      cellsOf: (row) => this.cells(row),
      mark: (line, row) => this.mark(line, row),
      choose: (row) => this.open(row),
      plan: (rows) => store.togglePlanned(...rows.map(({ path }) => path)),
      focused: ({ path }) => store.select(path),
      pointed: (row) => {
        store.hover.value = row?.path;
      },
      menu: ({ path, entry }, at) => entryMenu.open(path, entry.kind, at),
    });
    this.table.setHead(...columns.map((column) => this.heading(column)));
    this.element = this.table.element;
    this.element.append(this.note);
    whileShown(
      store,
      "directory",
      () => this.subject,
      (changed) => void this.load(changed),
    );
    effect(() => {
      const { sort, order } = store.view.value;
      for (const [column, cell] of this.headings) {
        const direction = order === "asc" ? "ascending" : "descending";
        mark(cell, "aria-sort", column === sort ? direction : undefined);
      }
    });
    watch(
      () => void [store.selected.value, store.hover.value, store.plan.value],
      () => this.table.remark(),
    );
    watch(
      () => void store.colours.value,
      () => this.table.remake(),
    );
    watch(
      () => void store.selected.value,
      () => void this.showSelected(store.selected.peek()),
    );
  }

  focus(): void {
    this.table.focus();
  }

  // The directory and the order of the rows.
  private get subject(): string {
    const { measure, sort, order } = this.store.view.value;
    return [measure, sort, order, this.store.directory.value].join(" ");
  }

  private heading({ sort, heading, className }: (typeof columns)[number]): HTMLTableCellElement {
    const sorting = button(heading, () => this.sortBy(sort));
    const cell = element("th", { scope: "col", class: className }, sorting);
    this.headings.set(sort, cell);
    return cell;
  }

  /** Sorts by the column, or reverses the order if it is sorted by it. */
  sortBy(sort: Sort): void {
    const view = this.store.view.peek();
    const reversed = view.order === "asc" ? "desc" : "asc";
    this.store.go({ sort, order: view.sort === sort ? reversed : usualOrder(sort) }, "replace");
  }

  private async ask(page: Page, signal: AbortSignal): Promise<Part<Row>> {
    const path = this.store.directory.peek();
    const { measure, sort, order } = this.store.view.peek();
    const answer = await api.children(path, measure, sort, order, page, signal);
    this.directory = path;
    this.around = answer.entry;
    this.learn(answer);
    const rows = answer.children.map((entry) => ({
      path: joinPath(path, pathOf(entry.name, entry.name_b64)),
      entry,
    }));
    return { generation: answer.generation, total: answer.total, offset: answer.offset, rows };
  }

  private learn(answer: ChildrenAnswer): void {
    const news = answer.children.filter(({ uid, owner }) => this.store.owners.meet(uid, owner));
    if (news.length > 0) this.store.ownersKnown.value++;
  }

  private async load(changed: boolean): Promise<void> {
    const focused = this.table.hasFocus;
    if (!changed) {
      await this.list.refresh();
      this.describe();
      return;
    }
    await this.list.restart();
    if (!this.list.loaded) {
      this.note.hidden = false;
      setText(this.note, "The contents of this directory are not available.");
      return;
    }
    this.describe();
    this.table.scrollToTop();
    await this.showSelected(this.store.selected.peek(), "center");
    // The row with the focus has gone with the other directory.
    if (focused && !this.table.hasFocus) this.table.focus();
  }

  private describe(): void {
    const { list, around, directory } = this;
    const where = directory === "" ? "the roots" : shown(directory);
    this.table.setCaption(`Contents of ${where}: ${grouped(list.total)}`);
    this.note.hidden = list.total > 0;
    const nothing =
      around && around.kind !== "directory" ? factsOf(around) : "This directory is empty.";
    setText(this.note, this.store.scanning.peek() ? "Nothing found here yet." : nothing);
  }

  // Scrolls to the row of the selected entry, or of the directory that contains it.
  private async showSelected(
    selected: Path | undefined,
    where: "nearest" | "center" = "nearest",
  ): Promise<void> {
    const { store, list } = this;
    const directory = store.directory.peek();
    const child =
      selected === undefined ? undefined : store.roots.peek().childToward(directory, selected);
    if (child === undefined || store.tab.peek() !== "directory" || !list.loaded) return;
    const isIt = (row: Row) => row.path === child;
    let at = list.find(isIt);
    if (at < 0) {
      const name = store.roots.peek().paths.includes(child) ? child : lastName(child);
      at = await list.seek(queryOf(name), isIt);
    }
    if (at >= 0) this.table.show(at, where);
  }

  private cells({ path, entry }: Row): HTMLElement[] {
    const { store } = this;
    const measure = store.measure.peek();
    const isDirectory = entry.kind === "directory";
    const href = isDirectory ? store.linkTo({ path, selected: undefined }) : undefined;
    const whole = this.around ? bytesBy(this.around, measure) : 0;
    const name = pathOf(entry.name, entry.name_b64);
    return [
      nameCell(entry, name, this.colourOf(path, entry), href),
      sizeCell(bytesBy(entry, measure), whole, entry.flags.includes("incomplete")),
      element("td", { class: "number entries-cell" }, isDirectory ? grouped(entry.entries) : ""),
      timeCell(entry.modified, store.taken.peek()),
      ownerCell(entry),
    ];
  }

  private colourOf(path: Path, entry: Entry): string | undefined {
    const { store } = this;
    const colours = store.colours.peek();
    if (colours.by === "branch") {
      const branch = store.branches.of(store.directory.peek(), path);
      return colours.ofBranch({ depth: 1, branch, twig: 0, shade: 0, fileClass: undefined });
    }
    if (entry.kind === "directory" && colours.by === "type") return undefined;
    return colours.of(entry);
  }

  private mark(line: HTMLTableRowElement, { path }: Row): void {
    const { store } = this;
    const directory = store.directory.peek();
    const roots = store.roots.peek();
    const within = (inner: Path | undefined) =>
      inner !== undefined && roots.childToward(directory, inner) === path;
    mark(line, "aria-selected", String(within(store.selected.peek())));
    line.classList.toggle("pointed", within(store.hover.peek()));
    const planned = plannedBy(store.plan.peek(), path) !== undefined;
    line.classList.toggle("planned", planned);
    mark(line, "aria-description", planned ? "in the plan" : undefined);
  }

  private open({ path, entry }: Row): void {
    if (entry.kind === "directory") this.store.open(path);
    else this.store.select(path);
  }
}
