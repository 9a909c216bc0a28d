// Growth: how the shown directory changed between two snapshots, or a snapshot and the scan.
//
// The map shows the same comparison: areas are the larger size, colours the change.

import { effect, untracked } from "@preact/signals-core";

import { changeColour, changeText } from "../data/change";
import { mostListed } from "../data/change_lists";
import {
  type ChangedEntry,
  compareEntries,
  comparisonTree,
  type Listing,
  worthOpening,
} from "../data/comparison";
import { shown } from "../data/label";
import { dateText, timeText } from "../data/moment";
import { bytesText, counted, shareText } from "../data/number";
import { isWithin, joinPath, type Path, pathOf } from "../data/path";
import { shellWord } from "../data/shell";
import { type Pair, pairOf } from "../data/snapshot_pair";
import { element, mark, setText } from "../dom";
import { api, type Entry, type Growth, ifKnown, Refusal, type Snapshot } from "../net/api";
import { PagedList } from "../net/paged_list";
import { Slot } from "../net/slot";
import type { Measure } from "../state/address";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { ChangeLists } from "./change_lists";
import { type CurvePoint, curveOf, sparkOf } from "./curve";
import { headCell, nameCell } from "./entry_cells";
import { type Panel, whileShown } from "./panel";
import { VirtualTable } from "./virtual_table";

const nothing: Listing = { total: 0, children: [] };
const now = "now";
const mostChanges = 2000; // of each kind, for the map
const leastChange = 0.001; // of the size, for a snapshot to be worth a comparison

/** A row acts on its path: while the comparison of another directory is made, it is still shown. */
interface Row extends ChangedEntry {
  readonly path: Path;
}

export class GrowthPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly fromPicker = element("select", { id: "growth-from" });
  private readonly toPicker = element("select", { id: "growth-to" });
  private readonly pickers = element("p", { class: "option pickers" });
  private readonly chart = element("div", { class: "chart" });
  private readonly forecast = element("p", { class: "about forecast" });
  private readonly changes: ChangeLists;
  private readonly note = element("p", { class: "note", hidden: true });
  private readonly list: PagedList<Row>;
  private readonly table: VirtualTable<Row>;
  private readonly slot = new Slot();
  private readonly scanSlot = new Slot(); // for comparisons of a snapshot with the scan
  private rows: readonly Row[] = [];
  private most = 1; // the largest change, for bars
  private courses: Courses = { times: [], sizes: new Map() };
  private snapshots: readonly Snapshot[] = [];
  private from: Snapshot | undefined; // what is compared with
  private loads = 0;

  constructor(private readonly store: Store) {
    this.changes = new ChangeLists(store);
    this.list = new PagedList<Row>(
      async () => ({
        generation: ++this.loads,
        total: this.rows.length,
        offset: 0,
        rows: this.rows,
      }),
      (error) => store.failed(error),
    );
    this.table = new VirtualTable<Row>(this.list, {
      label: "Changes",
      className: "report changes",
      keyOf: ({ path }) => path,
      cellsOf: (row) => this.cells(row),
      mark: (line, { path }) => {
        line.classList.toggle("pointed", store.hover.peek() === path);
        mark(line, "aria-selected", String(store.selected.peek() === path));
      },
      choose: (row) => this.open(row),
      pointed: (row) => {
        store.hover.value = row?.path;
      },
    });
    this.table.setHead(
      headCell("Name", "name-cell"),
      headCell("Change", "number change"),
      headCell("Shrank, grew", "signed"),
      headCell("Over time", "spark-cell"),
      headCell("Now", "number bytes"),
    );
    this.wirePickers();
    this.element = element(
      "div",
      { class: "filled growth" },
      this.about,
      this.changes.most,
      this.pickers,
      this.chart,
      this.forecast,
      this.changes.element,
      this.table.element,
    );
    this.table.element.append(this.note);
    whileShown(
      store,
      "growth",
      () => {
        const { from, to } = store.view.value;
        return [store.measure.value, from, to, store.directory.value].join(" ");
      },
      (changed) => void this.load(changed),
    );
    effect(() => {
      if (store.tab.value !== "growth") store.comparison.value = undefined;
    });
    watch(
      () => void [store.selected.value, store.hover.value],
      () => this.table.remark(),
    );
    watch(
      () => void store.scheme.value,
      () => this.table.remake(),
    );
  }

  focus(): void {
    this.table.focus();
  }

  /** Compares with the snapshot before (-1) or after (1) the one that is compared with. */
  step(by: -1 | 1): void {
    if (!this.from) return;
    const next = this.snapshots[this.snapshots.indexOf(this.from) - by]; // the latest is the first
    if (next && next.id !== this.store.view.peek().to) this.store.go({ from: next.id }, "replace");
  }

  private wirePickers(): void {
    const { fromPicker, toPicker } = this;
    this.pickers.append(
      element("label", { for: fromPicker.id }, "From"),
      fromPicker,
      element("label", { for: toPicker.id }, "to"),
      toPicker,
    );
    fromPicker.addEventListener("change", () =>
      this.store.go({ from: fromPicker.value }, "replace"),
    );
    toPicker.addEventListener("change", () => {
      const to = toPicker.value === now ? "" : toPicker.value;
      this.store.go({ to }, "replace");
    });
  }

  private async load(changed: boolean): Promise<void> {
    const { store } = this;
    if (changed) this.hideChanges(); // they are of another comparison
    const directory = store.directory.peek();
    try {
      await this.slot.take((signal) => this.compare(directory, signal));
    } catch (error) {
      this.showNothing("The comparison is not available.");
      store.failed(error);
    }
  }

  private async compare(directory: Path, signal: AbortSignal): Promise<void> {
    const { store } = this;
    const { measure, from, to } = store.view.peek();
    const { snapshots } = await api.snapshots(directory, signal);
    if (signal.aborted) return;
    this.snapshots = snapshots;
    if (snapshots.length === 0) {
      const root = store.roots.peek().rootOf(directory) ?? directory;
      const path = root === "" ? "PATH" : shellWord(root);
      this.showNothing(
        `There are no snapshots of this directory. "fathom snapshot ${path}" keeps one; run it again later, for example each night, to see here what grew.`,
      );
      return;
    }
    const page = { offset: 0, limit: 1000 };
    const [growth, scan] = await Promise.all([
      ifKnown(growthOf(directory, measure, signal)),
      api.children(directory, measure, "size", "desc", page, signal),
    ]);
    if (signal.aborted) return;
    const points = pointsOf(growth, scan.entry, store.taken.peek());
    const sizeAt = (wanted: string) => points.find(({ id }) => id === wanted)?.bytes;
    const size = sizeAt(to) ?? 0;
    const differs = ({ id }: Snapshot) => Math.abs((sizeAt(id) ?? 0) - size) > leastChange * size;
    const pair = pairOf(snapshots, from, to, differs);
    this.from = pair?.from;
    if (!pair) {
      this.showNothing("There is no earlier snapshot to compare with.");
      return;
    }
    this.fillPickers(pair);
    const between = (to: Snapshot) =>
      ifKnown(api.diff(directory, pair.from.id, to.id, measure, mostChanges, signal));
    const [before, after, diff] = await Promise.all([
      listingOf(api.past(directory, pair.from.id, measure, signal)),
      pair.to ? listingOf(api.past(directory, pair.to.id, measure, signal)) : scan,
      pair.to && between(pair.to),
    ]);
    if (signal.aborted || store.tab.peek() !== "growth") return;
    this.rows = compareEntries(before, after, measure).map((row) => {
      return { ...row, path: joinPath(directory, row.name) };
    });
    this.most = Math.max(
      1,
      ...this.rows.slice(0, 1).map((row) => Math.abs(row.after - row.before)),
    );
    const inner = pair.to ? undefined : await this.innerRows(directory, pair, signal);
    if (signal.aborted) return;
    const root = comparisonTree(directory, this.rows, diff?.dirs, inner);
    this.courses = coursesOf(growth);
    untracked(() => {
      store.comparison.value = { path: directory, root };
    });
    this.describe(pair, root.change!.before, root.change!.after, before, after);
    if (growth) this.showCurve(points, pair, forecastText(growth));
    await this.list.restart();
    if (signal.aborted) return;
    this.note.hidden = this.rows.length > 0;
    setText(this.note, "This directory is empty, and was.");
    if (pair.to) this.changes.show(diff, directory);
    else if (store.scanning.peek()) this.hideChanges();
    else await this.compareWithScan(directory, pair.from, measure);
  }

  // This may take longer than the scan needs for its next update.
  private compareWithScan(directory: Path, from: Snapshot, measure: Measure): Promise<void> {
    return this.scanSlot.follow(async (signal) => {
      const question = api.diff(directory, from.id, now, measure, mostListed, signal);
      const diff = await ifKnown(question, 503); // while a scan runs, which may just have begun
      if (!signal.aborted) this.changes.show(diff, directory);
    });
  }

  private hideChanges(): void {
    this.scanSlot.clear();
    this.changes.show(undefined, "");
  }

  private async rowsIn(
    path: Path,
    state: ChangedEntry["state"],
    { from, to }: Pair,
    signal: AbortSignal,
  ): Promise<ChangedEntry[]> {
    const { measure } = this.store.view.peek();
    const page = { offset: 0, limit: 1000 };
    const past = ({ id }: Snapshot) => api.past(path, id, measure, signal);
    const [before, after] = await Promise.all([
      state === "new" ? nothing : listingOf(past(from)),
      state === "gone"
        ? nothing
        : listingOf(to ? past(to) : api.children(path, measure, "size", "desc", page, signal)),
    ]);
    return compareEntries(before, after, measure);
  }

  // The changes in the largest directories, which only a comparison of two snapshots reports.
  private async innerRows(
    directory: Path,
    pair: Pair,
    signal: AbortSignal,
  ): Promise<Map<Path, ChangedEntry[]>> {
    const opened = worthOpening(this.rows).map(async ({ name, state }) => {
      const path = joinPath(directory, name);
      return [path, await this.rowsIn(path, state, pair, signal)] as const;
    });
    return new Map(await Promise.all(opened));
  }

  private showNothing(text: string): void {
    this.store.comparison.value = undefined;
    this.hideChanges();
    this.rows = [];
    this.list.clear();
    this.pickers.hidden = true;
    this.chart.replaceChildren();
    setText(this.forecast, "");
    this.note.hidden = true;
    setText(this.about, text);
  }

  private describe(
    pair: Pair,
    before: number,
    after: number,
    ...listings: readonly Listing[]
  ): void {
    const change = after - before;
    const share =
      before > 0 ? ` (${change < 0 ? "−" : "+"}${shareText(Math.abs(change) / before)})` : "";
    const until = pair.to
      ? `from ${timeText(pair.from.ended)} to ${timeText(pair.to.ended)}`
      : `since ${timeText(pair.from.ended)}`;
    const path = this.store.directory.peek();
    const name = path === "" ? "all roots" : shown(this.store.nameOf(path));
    const states = (["new", "gone"] as const)
      .map((state) => [state, this.rows.filter((row) => row.state === state).length] as const)
      .filter(([, count]) => count > 0)
      .map(([state, count]) => `${counted(count, "entry", "entries")} ${state}`);
    const cut = listings.some(({ total, children }) => total > children.length);
    if (cut) states.push("only the 1,000 largest entries are compared");
    setText(this.about, [`${name} ${until}: ${changeText(change)}${share}`, ...states].join(" · "));
    this.table.setCaption(`Changes in ${name}`);
  }

  private fillPickers({ from, to }: Pair): void {
    this.pickers.hidden = false;
    const titleOf = (snapshot: Snapshot) =>
      `${timeText(snapshot.ended)}${snapshot.tag ? `, ${snapshot.tag}` : ""}`;
    const option = (snapshot: Snapshot) =>
      element("option", { value: snapshot.id }, titleOf(snapshot));
    this.fromPicker.replaceChildren(...this.snapshots.map(option));
    this.toPicker.replaceChildren(
      element("option", { value: now }, "now (this scan)"),
      ...this.snapshots.map(option),
    );
    this.fromPicker.value = from.id;
    this.toPicker.value = to?.id ?? now;
  }

  private showCurve(points: readonly CurvePoint[], pair: Pair, forecast: string): void {
    const chosen = (id: string) => this.store.go(id === "" ? { to: "" } : { from: id }, "replace");
    this.chart.replaceChildren();
    // Two points say no more than the first sentence.
    if (points.length > 2)
      this.chart.append(curveOf(points, pair.from.id, pair.to?.id ?? "", chosen));
    setText(this.forecast, forecast);
  }

  private open({ path, entry, state }: Row): void {
    if (entry.kind === "directory" && state !== "gone") this.store.open(path);
    else if (isWithin(path, this.store.directory.peek())) this.store.select(path);
  }

  private cells({ path, name, entry, before, after, state }: Row): HTMLElement[] {
    const { store } = this;
    const scheme = store.scheme.peek();
    const isOpen = entry.kind === "directory" && state !== "gone";
    const href = isOpen ? store.linkTo({ path, selected: undefined }) : undefined;
    const cell = nameCell(entry, name, changeColour(before, after, scheme), href);
    if (state !== "kept") cell.firstElementChild!.append(element("span", { class: "tag" }, state));
    const change = after - before;
    const bar = element("span", { class: change < 0 ? "less" : "more" });
    bar.style.width = `${((50 * Math.abs(change)) / this.most).toFixed(2)}%`;
    bar.style.backgroundColor = changeColour(change < 0 ? 2 : 1, change < 0 ? 1 : 2, scheme);
    return [
      cell,
      element("td", { class: "number change" }, changeText(change)),
      element(
        "td",
        { class: "signed" },
        element("span", { class: "axis", "aria-hidden": "true" }, bar),
      ),
      element("td", { class: "spark-cell" }, this.courseOf(path, after)),
      element("td", { class: "number bytes" }, bytesText(after)),
    ];
  }

  // Only of directories, because snapshots are not searched for files.
  private courseOf(path: Path, now: number): SVGElement | undefined {
    const { times, sizes } = this.courses;
    const its = sizes.get(path);
    if (!its) return undefined;
    const toScan = this.store.view.peek().to === "";
    return toScan
      ? sparkOf([...its, now], [...times, this.store.taken.peek()])
      : sparkOf(its, times);
  }
}

// The sizes of the directory in the snapshots and, by the same measure, in the scan.
function pointsOf(growth: Growth | undefined, entry: Entry, taken: number): CurvePoint[] {
  const measure = growth?.measure ?? "disk_bytes";
  const sizes = growth?.dirs.find(({ depth }) => depth === 0)?.[measure] ?? [];
  const past = growth?.snapshots.map(({ id, time }, at) => ({
    id,
    time,
    bytes: sizes[at] ?? null,
  }));
  return [...(past ?? []), { id: "", time: taken, bytes: entry[measure] }];
}

/** The sizes of directories in the snapshots. */
interface Courses {
  readonly times: readonly number[];
  readonly sizes: ReadonlyMap<Path, readonly (number | null)[]>;
}

function coursesOf(growth: Growth | undefined): Courses {
  const sizes = new Map<Path, readonly (number | null)[]>();
  for (const dir of growth?.dirs ?? [])
    sizes.set(pathOf(dir.path, dir.path_b64), dir[growth!.measure] ?? []);
  return { times: growth?.snapshots.map(({ time }) => time) ?? [], sizes };
}

/** With the directories in it, if they are not too many. */
async function growthOf(path: Path, measure: Measure, signal: AbortSignal): Promise<Growth> {
  try {
    return await api.growth(path, measure, 1, signal);
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 400) throw error;
    return api.growth(path, measure, 0, signal);
  }
}

// A directory that a snapshot does not have was empty.
async function listingOf(question: Promise<Listing>): Promise<Listing> {
  return (await ifKnown(question)) ?? nothing;
}

function forecastText({ forecast }: Growth): string {
  const { full, bytes_per_day: rate, why_none: why, mount_point: place } = forecast;
  if (full && rate) {
    const where = place === null ? "The filesystem" : `The filesystem at ${place}`;
    const range = `between ${dateText(full.least)} and ${dateText(full.most)}`;
    const daily = changeText(Math.round(rate.expected));
    return `${where} is full about ${dateText(full.expected)} (${range}), at ${daily} a day.`;
  }
  return why === null ? "" : `No forecast: ${why}.`;
}
