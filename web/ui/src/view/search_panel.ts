// The results of a search by name. The map lights them up.

import { bytesText, counted } from "../data/number";
import { isWithin, type Path, pathOf } from "../data/path";
import { element, mark, setText } from "../dom";
import { api, bytesBy, type FoundEntry } from "../net/api";
import { type Page, PagedList, type Part } from "../net/paged_list";
import { plannedBy } from "../state/plan";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { bytesCell, headCell, timeCell } from "./entry_cells";
import { entryLink } from "./entry_link";
import type { EntryMenu } from "./entry_menu";
import { kindIcon } from "./kind_icon";
import { type Panel, whileShown } from "./panel";
import { VirtualTable } from "./virtual_table";

interface Row {
  readonly path: Path;
  readonly entry: FoundEntry;
}

export class SearchPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly list: PagedList<Row>;
  private readonly table: VirtualTable<Row>;
  private bytes = 0;

  constructor(
    private readonly store: Store,
    entryMenu: EntryMenu,
  ) {
    this.list = new PagedList<Row>(
      (page, signal) => this.ask(page, signal),
      (error) => store.failed(error),
    );
    this.table = new VirtualTable<Row>(this.list, {
      label: "Search results",
      className: "report found",
      keyOf: ({ path }) => path,
      cellsOf: (row) => this.cells(row),
      mark: (line, { path }) => {
        line.classList.toggle("planned", plannedBy(store.plan.peek(), path) !== undefined);
        mark(line, "aria-selected", String(store.selected.peek() === path));
      },
      choose: ({ path }) => this.select(path),
      enter: ({ path }) => store.reveal(path),
      plan: (rows) => store.togglePlanned(...rows.map(({ path }) => path)),
      pointed: (row) => {
        store.hover.value = row?.path;
      },
      menu: ({ path, entry }, at) => entryMenu.open(path, entry.kind, at),
    });
    this.table.setHead(
      headCell("Path", "path"),
      headCell("Size", "number bytes"),
      headCell("Modified", "time-cell"),
    );
    this.element = element("div", { class: "filled" }, this.about, this.table.element);
    whileShown(
      store,
      "search",
      () => JSON.stringify([store.measure.value, store.subject.value, store.view.value.query]),
      (changed) => void this.load(changed),
    );
    watch(
      () => void [store.plan.value, store.selected.value],
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

  // Only what is in the shown directory is in the map.
  private select(path: Path): void {
    if (isWithin(path, this.store.directory.peek())) this.store.select(path);
  }

  private async load(changed: boolean): Promise<void> {
    const { store, list } = this;
    if (store.view.peek().query === "") {
      list.clear();
      setText(this.about, "Search for part of a name, or use a pattern with *, ? and [...].");
      return;
    }
    await (changed ? list.restart() : list.refresh());
    if (changed) this.table.scrollToTop();
    if (list.loaded) this.describe();
  }

  private describe(): void {
    const { total } = this.list;
    const sofar = this.store.scanning.peek() ? " so far" : "";
    const found =
      total === 0
        ? `No matches${sofar}. Search looks at names, not paths. Wildcards: * ? [...]`
        : `${counted(total, "match", "matches")}${sofar}, ${bytesText(this.bytes)} in total.`;
    setText(this.about, found);
    this.store.announcement.value = found;
  }

  private async ask(page: Page, signal: AbortSignal): Promise<Part<Row>> {
    const { store } = this;
    const { query, measure } = store.view.peek();
    const answer = await api.search(query, store.subject.peek(), measure, page, signal);
    this.bytes = answer.bytes;
    const rows = answer.results.map((entry) => ({
      path: pathOf(entry.path, entry.path_b64),
      entry,
    }));
    return { generation: answer.generation, total: answer.matches, offset: answer.offset, rows };
  }

  private cells({ path, entry }: Row): HTMLElement[] {
    const { store } = this;
    const colours = store.colours.peek();
    const plain = entry.kind === "directory" && colours.by === "type";
    const icon = kindIcon(
      entry.kind,
      plain || colours.by === "branch" ? undefined : colours.of(entry),
    );
    return [
      element(
        "th",
        { scope: "row", class: "path" },
        element("span", { class: "cell" }, icon, entryLink(store, path)),
      ),
      bytesCell(bytesBy(entry, store.measure.peek())),
      timeCell(entry.modified, store.taken.peek()),
    ];
  }
}
