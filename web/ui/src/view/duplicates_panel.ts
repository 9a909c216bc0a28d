// Duplicate files: the search for them, which the user starts, and its results.
//
// Each row is a group of equal files, or a pair of equal directories, which stands for the groups of
// their files. The chosen row lights up in the map, and its copies are listed below.

import {
  type Content,
  candidatePairs,
  type DirectoryPair,
  equalPairs,
  explained,
} from "../data/equal_directories";
import { type Choice, chosenBy, type Equal, type KeepRule, keepRules } from "../data/keep_rule";
import { shown } from "../data/label";
import { bytesText, counted, grouped } from "../data/number";
import { type Path, pathOf } from "../data/path";
import { button, element, mark, setText } from "../dom";
import { api, type Duplicates, ifKnown } from "../net/api";
import { firstRows } from "../net/first_rows";
import { PagedList, type Part } from "../net/paged_list";
import { plannedBy } from "../state/plan";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { cancelButton } from "./cancel_button";
import { bytesCell, headCell } from "./entry_cells";
import { entryLink, shortName } from "./entry_link";
import { noResults, type Panel, whileShown } from "./panel";
import { placeText } from "./scope_bar";
import { VirtualTable } from "./virtual_table";

const betweenQuestions = 700; // ms, while the search runs
const mostGroups = 3000;
const mostCandidates = 24; // pairs of directories that are looked up in the scan

/** A group of equal files, or a pair of equal directories. */
interface Row {
  readonly paths: readonly Path[];
  readonly names: number; // copies, also those that are not in `paths`
  readonly otherNames: readonly number[]; // of each path: hard links to it
  readonly size: number; // of each copy
  readonly wasted: number;
  readonly files: number | undefined; // in each directory; undefined for a group of files
}

function rowOf(group: Duplicates["groups"][number]): Row {
  return {
    paths: group.files.map((file) => pathOf(file.path, file.path_b64)),
    names: group.names,
    otherNames: group.files.map((file) => file.other_names),
    size: group.size,
    wasted: group.wasted_bytes,
    files: undefined,
  };
}

function rowOfPair({ one, other, files, bytes }: DirectoryPair): Row {
  const paths = [one, other];
  return { paths, names: 2, otherNames: [0, 0], size: bytes, wasted: bytes, files };
}

export class DuplicatesPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly button = button("Find duplicates", () => void this.begin(), { class: "main" });
  private readonly progress = element("progress", { "aria-label": "Read so far", hidden: true });
  private readonly reading = element("p", { class: "note", hidden: true });
  private readonly rule = element("select", { id: "keep-rule" });
  private readonly planAll = button("Plan the other copies", () => this.planOthers());
  private readonly bar = element("p", { class: "option keep" });
  private readonly detail = element("section", { class: "detail", "aria-label": "Copies" });
  private readonly list: PagedList<Row>;
  private readonly table: VirtualTable<Row>;
  private readonly cancel: HTMLButtonElement;
  private timer: number | undefined;
  private answer: Duplicates | undefined;
  private equal: Equal = { groups: [], pairs: [] }; // what is here

  constructor(private readonly store: Store) {
    this.cancel = cancelButton(store);
    this.list = new PagedList<Row>(
      (_page, signal) => this.ask(signal),
      (error) => {
        if (!this.answer) this.showNothing();
        store.failed(error);
      },
    );
    this.table = new VirtualTable<Row>(this.list, {
      label: "Groups of equal files",
      className: "report choosable groups",
      keyOf: ({ paths }) => paths.join("\n"),
      cellsOf: (row) => this.cells(row),
      mark: (line, row) => mark(line, "aria-selected", String(this.isChosen(row))),
      choose: (row, at) => this.choose(row, at),
    });
    this.table.setHead(
      headCell("File", "path"),
      headCell("Copies", "number count"),
      headCell("Each", "number bytes"),
      headCell("Wasted", "number bytes"),
    );
    this.makeRules();
    this.element = element(
      "div",
      { class: "filled duplicates" },
      this.about,
      this.button,
      this.progress,
      this.reading,
      this.cancel,
      this.bar,
      this.table.element,
      this.detail,
    );
    this.detail.hidden = this.bar.hidden = true;
    whileShown(
      store,
      "duplicates",
      () => store.subject.value,
      (changed) => void this.load(changed),
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

  private async load(changed: boolean): Promise<void> {
    window.clearTimeout(this.timer);
    if (changed) this.answer = undefined;
    await (changed ? this.list.restart() : this.list.refresh());
    if (this.answer) this.fillHead(this.answer);
    this.askAgain();
  }

  private askAgain(): void {
    if (this.answer?.state !== "running" || !this.element.isConnected) return;
    this.timer = window.setTimeout(() => void this.load(false), betweenQuestions);
  }

  // All groups at once, because those in equal directories fold into one row.
  private async ask(signal: AbortSignal): Promise<Part<Row>> {
    const path = this.store.subject.peek();
    const groups = await firstRows(async (page) => {
      const answer = await api.duplicates(path, page, signal);
      this.answer = answer;
      return { ...answer, rows: answer.groups.map(rowOf) };
    }, mostGroups);
    const pairs = await this.pairsOf(groups.rows, signal);
    this.equal = { groups: groups.rows, pairs };
    const others = groups.rows.filter(({ paths }) => !explained(paths, pairs));
    const rows = [...pairs.map(rowOfPair), ...others].sort((a, b) => b.wasted - a.wasted);
    return { ...groups, total: rows.length, rows };
  }

  private async pairsOf(groups: readonly Row[], signal: AbortSignal): Promise<DirectoryPair[]> {
    const whole = groups.filter(({ paths, names }) => paths.length === names);
    const candidates = candidatePairs(whole).slice(0, mostCandidates);
    const asked = new Set(candidates.flatMap(({ one, other }) => [one, other]));
    const contents = new Map<Path, Content>();
    for (const path of asked) {
      const content = await contentOf(path, signal);
      if (content) contents.set(path, content);
    }
    return equalPairs(candidates, (path) => contents.get(path));
  }

  private fillHead(answer: Duplicates): void {
    this.answer = answer;
    const { store } = this;
    const running = answer.state === "running";
    const scanning = store.scanning.peek();
    const possible = store.status.peek()?.source !== "file";
    this.button.hidden = running || answer.state === "complete" || !possible;
    this.button.disabled = scanning;
    this.progress.hidden = this.reading.hidden = this.cancel.hidden = !running;
    if (running) {
      const { bytes_read: read, bytes_to_read: all } = answer.progress;
      this.progress.max = Math.max(1, all);
      this.progress.value = read;
      setText(this.reading, `${bytesText(read)} of ${bytesText(all)} read`);
    }
    this.bar.hidden = answer.total === 0;
    setText(
      this.about,
      headOf(answer, this.equal.groups.length, possible, scanning, placeText(store)),
    );
  }

  private showNothing(): void {
    const { store } = this;
    this.equal = { groups: [], pairs: [] };
    this.button.hidden = store.status.peek()?.source === "file";
    this.button.disabled = store.scanning.peek();
    this.progress.hidden = this.reading.hidden = this.cancel.hidden = this.bar.hidden = true;
    setText(this.about, noResults);
  }

  private cells({ paths, names, size, wasted, files }: Row): HTMLElement[] {
    const cell = element("span", { class: "cell" }, shortName(this.store, paths[0]!));
    if (files !== undefined) {
      const text = `directories of ${counted(files, "equal file", "equal files")}`;
      cell.append(element("span", { class: "tag" }, text));
    }
    return [
      element("th", { scope: "row", class: "path" }, cell),
      element("td", { class: "number count" }, grouped(names)),
      bytesCell(size),
      bytesCell(wasted),
    ];
  }

  private isChosen({ paths }: Row): boolean {
    return this.store.highlight.peek()?.group === paths[0];
  }

  private choose(row: Row, at: number): void {
    this.store.toggleHighlight({ group: row.paths[0]! });
    this.table.show(at); // the copies take its place
  }

  // The copies of the chosen row. All but the one to keep can be planned.
  private showDetail(): void {
    const at = this.list.find((row) => this.isChosen(row));
    const row = at < 0 ? undefined : this.list.row(at);
    this.detail.hidden = row === undefined;
    if (!row) return;
    const { keeps } = this.choice();
    const items = row.paths.map((path, index) =>
      this.copy(path, row.otherNames[index]!, keeps(path)),
    );
    const rest = row.names - row.paths.length;
    if (rest > 0) items.push(element("li", {}, `and ${grouped(rest)} more copies`));
    const title = `${counted(row.names, "copy", "copies")}, ${bytesText(row.size)} each`;
    this.detail.replaceChildren(element("h3", {}, title), element("ul", {}, ...items));
  }

  private copy(path: Path, otherNames: number, stays: boolean): HTMLLIElement {
    const item = element("li", {}, entryLink(this.store, path));
    if (otherNames > 0) {
      const others = counted(otherNames, "other name", "other names");
      item.append(element("span", {}, `and ${others}`));
    }
    if (stays) {
      item.append(element("span", { class: "tag" }, "keep"));
      return item;
    }
    const planned = plannedBy(this.store.plan.peek(), path) !== undefined;
    item.append(
      button(planned ? "planned" : "plan", () => this.store.togglePlanned(path), {
        "aria-pressed": String(planned),
        "aria-label": `Plan ${shown(path)}`,
      }),
    );
    return item;
  }

  private choice(): Choice {
    return chosenBy(this.equal, this.keep, this.store.plan.peek());
  }

  private planOthers(): void {
    const plan = this.choice().plan();
    this.store.plan.value = plan;
    this.store.announcement.value = `${counted(plan.size, "item", "items")} in the plan`;
  }
}

// Undefined if the directory has gone.
async function contentOf(path: Path, signal: AbortSignal): Promise<Content | undefined> {
  const page = { offset: 0, limit: 1 };
  return (await ifKnown(api.children(path, "disk", "size", "desc", page, signal)))?.entry;
}

function headOf(
  answer: Duplicates,
  listed: number,
  possible: boolean,
  scanning: boolean,
  place: string,
): string {
  switch (answer.state) {
    case "running":
      return "Reading files that have the same size as another file, and comparing them byte by byte.";
    case "complete": {
      const totals = answer.totals;
      if (totals.groups === 0) return `No two files ${place} have equal contents.`;
      const groups = counted(totals.groups, "group", "groups");
      const wasted = bytesText(totals.wasted_bytes);
      const cut = answer.total > listed ? ` The ${grouped(listed)} largest are listed.` : "";
      return `${groups} of equal files ${place}. Keeping one copy of each would free ${wasted}.${cut}`;
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
