// Duplicate files: the search for them, which the user starts, and its results.
//
// Each row is a group. The chosen group lights up in the map, and its files are listed below.

import { type KeepRule, keepRules, keptOf } from "../data/keep_rule";
import { shown } from "../data/label";
import { bytesText, counted, grouped } from "../data/number";
import { type Path, pathOf } from "../data/path";
import { element, mark, setText } from "../dom";
import { api, type Duplicates } from "../net/api";
import { type Page, PagedList, type Part } from "../net/paged_list";
import { plannedBy } from "../state/plan";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { bytesCell, headCell } from "./entry_cells";
import { entryLink } from "./entry_link";
import { nameElement } from "./name";
import { type Panel, whileShown } from "./panel";
import { VirtualTable } from "./virtual_table";

const betweenQuestions = 700; // ms, while the search runs

type Group = Duplicates["groups"][number];

interface Row {
  readonly at: number; // the index of the group
  readonly group: Group;
}

function pathsIn(group: Group): Path[] {
  return group.files.map((file) => pathOf(file.path, file.path_b64));
}

export class DuplicatesPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly button = element("button", { type: "button", class: "main" }, "Find duplicates");
  private readonly progress = element("progress", { "aria-label": "Read so far", hidden: true });
  private readonly reading = element("p", { class: "note", hidden: true });
  private readonly rule = element("select", { id: "keep-rule" });
  private readonly planAll = element("button", { type: "button" }, "Plan the other copies");
  private readonly bar = element("p", { class: "option keep" });
  private readonly detail = element("section", { class: "detail", "aria-label": "Copies" });
  private readonly list: PagedList<Row>;
  private readonly table: VirtualTable<Row>;
  private timer: number | undefined;
  private answer: Duplicates | undefined;

  constructor(private readonly store: Store) {
    this.list = new PagedList<Row>(
      (page, signal) => this.ask(page, signal),
      (error) => store.failed(error),
    );
    this.table = new VirtualTable<Row>(this.list, {
      label: "Groups of equal files",
      className: "report choosable groups",
      keyOf: ({ at }) => String(at),
      cellsOf: (row) => this.cells(row),
      mark: (line, { at }) =>
        mark(line, "aria-selected", String(store.highlight.peek()?.group === at)),
      click: ({ at }) => this.choose(at),
      key: ({ at }, _at, event) => {
        if (event.key !== "Enter" && event.key !== " ") return false;
        this.choose(at);
        return true;
      },
    });
    this.table.setHead(
      headCell("File", "path"),
      headCell("Copies", "number count"),
      headCell("Each", "number bytes"),
      headCell("Wasted", "number bytes"),
    );
    this.makeRules();
    this.button.addEventListener("click", () => void this.begin());
    this.planAll.addEventListener("click", () => this.planOthers());
    this.element = element(
      "div",
      { class: "filled duplicates" },
      this.about,
      this.button,
      this.progress,
      this.reading,
      this.bar,
      this.table.element,
      this.detail,
    );
    this.detail.hidden = true;
    whileShown(
      store,
      "duplicates",
      () => "",
      () => void this.load(),
    );
    watch(
      () => void [store.highlight.value, store.plan.value, this.list.version.value],
      () => {
        this.table.remark();
        this.showDetail();
      },
    );
  }

  focus(): void {
    this.table.focus();
  }

  private makeRules(): void {
    for (const [rule, title] of keepRules)
      this.rule.append(element("option", { value: rule }, title));
    this.rule.addEventListener("change", () => this.showDetail());
    this.bar.append(element("label", { for: this.rule.id }, "Keep"), this.rule, this.planAll);
  }

  private get keep(): KeepRule {
    return keepRules.find(([rule]) => rule === this.rule.value)?.[0] ?? "first";
  }

  private async begin(): Promise<void> {
    this.button.disabled = true;
    try {
      this.fillHead(await api.findDuplicates());
      this.askAgain();
    } catch (error) {
      this.store.failed(error);
      this.button.disabled = false;
    }
  }

  private async load(): Promise<void> {
    window.clearTimeout(this.timer);
    await this.list.refresh();
    if (this.answer) this.fillHead(this.answer);
    this.askAgain();
  }

  private askAgain(): void {
    if (this.answer?.state !== "running" || !this.element.isConnected) return;
    this.timer = window.setTimeout(() => void this.load(), betweenQuestions);
  }

  private async ask(page: Page, signal: AbortSignal): Promise<Part<Row>> {
    const answer = await api.duplicates(page, signal);
    this.answer = answer;
    const rows = answer.groups.map((group, at) => ({ at: answer.offset + at, group }));
    return { generation: answer.generation, total: answer.total, offset: answer.offset, rows };
  }

  private fillHead(answer: Duplicates): void {
    this.answer = answer;
    const { store } = this;
    const running = answer.state === "running";
    const scanning = store.scanning.peek();
    const possible = store.status.peek()?.source !== "file";
    this.button.hidden = running || answer.state === "complete" || !possible;
    this.button.disabled = scanning;
    this.progress.hidden = this.reading.hidden = !running;
    if (running) {
      const { bytes_read: read, bytes_to_read: all } = answer.progress;
      this.progress.max = Math.max(1, all);
      this.progress.value = read;
      setText(this.reading, `${bytesText(read)} of ${bytesText(all)} read`);
    }
    this.bar.hidden = answer.total === 0 || !store.extended.peek();
    setText(this.about, headOf(answer, possible, scanning));
  }

  private cells({ group }: Row): HTMLElement[] {
    const [first] = group.files;
    const name = nameElement(pathOf(first!.path, first!.path_b64));
    return [
      element("th", { scope: "row", class: "path" }, name),
      element("td", { class: "number count" }, grouped(group.names)),
      bytesCell(group.size),
      bytesCell(group.wasted_bytes),
    ];
  }

  private choose(at: number): void {
    const chosen = this.store.highlight.peek()?.group === at;
    this.store.go({ highlight: chosen ? undefined : { group: at } }, "replace");
  }

  // The files of the chosen group. All but the one to keep can be planned.
  private showDetail(): void {
    const at = this.store.highlight.peek()?.group;
    const row = at === undefined ? undefined : this.list.row(at);
    this.detail.hidden = row === undefined;
    if (!row) return;
    const { group } = row;
    const paths = pathsIn(group);
    const kept = keptOf(paths, this.keep);
    const items = group.files.map((file, index) => this.fileItem(paths[index]!, file, kept));
    const rest = group.names - group.files.length;
    if (rest > 0) items.push(element("li", {}, `and ${grouped(rest)} more copies`));
    const title = `${counted(group.names, "copy", "copies")}, ${bytesText(group.size)} each`;
    this.detail.replaceChildren(element("h3", {}, title), element("ul", {}, ...items));
  }

  private fileItem(path: Path, file: Group["files"][number], kept: Path): HTMLLIElement {
    const item = element("li", {}, entryLink(this.store, path));
    if (file.other_names > 0) {
      const others = counted(file.other_names, "other name", "other names");
      item.append(element("span", {}, `and ${others}`));
    }
    if (!this.store.extended.peek()) return item;
    if (path === kept) {
      item.append(element("span", { class: "tag" }, "keep"));
      return item;
    }
    const planned = plannedBy(this.store.plan.peek(), path) !== undefined;
    const button = element(
      "button",
      { type: "button", "aria-pressed": String(planned), "aria-label": `Plan ${shown(path)}` },
      planned ? "planned" : "plan",
    );
    button.addEventListener("click", () => this.store.togglePlanned(path));
    item.append(button);
    return item;
  }

  // Of the groups that are here: those that were looked at.
  private planOthers(): void {
    const paths: Path[] = [];
    for (let at = 0; at < this.list.total; ++at) {
      const row = this.list.row(at);
      if (!row) continue;
      const all = pathsIn(row.group);
      const kept = keptOf(all, this.keep);
      paths.push(...all.filter((path) => path !== kept));
    }
    this.store.addPlanned(paths);
    const copies = counted(paths.length, "copy", "copies");
    this.store.announcement.value = `${copies} in the plan`;
  }
}

function headOf(answer: Duplicates, possible: boolean, scanning: boolean): string {
  switch (answer.state) {
    case "running":
      return "Reading files that have the same size as another file, and comparing them byte by byte.";
    case "complete": {
      const totals = answer.totals;
      if (totals.groups === 0) return "No two files have equal contents.";
      const groups = counted(totals.groups, "group", "groups");
      const wasted = bytesText(totals.wasted_bytes);
      return `${groups} of equal files. Keeping one copy of each would free ${wasted}.`;
    }
    case "failed":
      return `The search failed: ${answer.message}`;
    case "interrupted":
      return "The search was interrupted.";
    default:
      if (!possible)
        return "Duplicates cannot be searched for in a saved scan, because its files are not here.";
      if (scanning) return "You can search for duplicates when the scan is complete.";
      return (
        "Files with equal contents, compared byte by byte. This reads every file that has the " +
        "same size as another file, so it takes a while and keeps the disk busy."
      );
  }
}
