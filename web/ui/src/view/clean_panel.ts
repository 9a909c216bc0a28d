// Clean: what can be removed, by the rules of `fathom clean`, with the reason for each.

import { shown } from "../data/label";
import { agoText } from "../data/moment";
import { bytesText, counted } from "../data/number";
import { isWithin, type Path, pathOf } from "../data/path";
import { button, element, mark, setText } from "../dom";
import { api, type Clean, type CleanItem } from "../net/api";
import { type Page, PagedList, type Part } from "../net/paged_list";
import type { Tab } from "../state/address";
import { plannedBy } from "../state/plan";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { cancelButton } from "./cancel_button";
import { commandLine } from "./command_line";
import { bytesCell, headCell } from "./entry_cells";
import { entryLink, shortName } from "./entry_link";
import { noResults, type Panel, whileShown } from "./panel";
import { placeText } from "./scope_bar";
import { VirtualTable } from "./virtual_table";

const betweenQuestions = 700; // ms, while the search runs

type Class = CleanItem["class"];

const classTitles: Readonly<Record<Class, readonly [title: string, meaning: string]>> = {
  safe: ["Safe", "rebuilt by a command, without loss"],
  probably: ["Probably", "can be made again, which may take time or a network"],
  yours: ["Yours", "only you know whether it is still needed"],
  tool: ["By its tool", "its own program removes it: copy the command"],
};

/** "Safe: 1.2 GiB, 3 items; rebuilt by a command, without loss". */
export function classText(sum: Clean["classes"][number]): string {
  const [title, meaning] = classTitles[sum.class];
  const items = counted(sum.items, "item", "items");
  return `${title}: ${bytesText(sum.freed_bytes)}, ${items}; ${meaning}`;
}

interface Row {
  readonly path: Path;
  readonly item: CleanItem;
}

export class CleanPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly button = button("Look for it", () => void this.begin(), { class: "main" });
  private readonly progress = element("progress", { "aria-label": "Looking", hidden: true });
  private readonly classes = element("ul", { class: "classes" });
  private readonly planSafe = button("Plan everything safe", () => void this.planAllSafe());
  private readonly detail = element("section", { class: "detail", "aria-label": "Reason" });
  private readonly list: PagedList<Row>;
  private readonly table: VirtualTable<Row>;
  private readonly cancel: HTMLButtonElement;
  private timer: number | undefined;
  private answer: Clean | undefined;
  private chosen: Row | undefined;

  constructor(private readonly store: Store) {
    this.cancel = cancelButton(store);
    this.list = new PagedList<Row>(
      (page, signal) => this.ask(page, signal),
      (error) => {
        if (!this.answer) this.showNothing();
        store.failed(error);
      },
    );
    this.table = new VirtualTable<Row>(this.list, {
      label: "What can be removed",
      className: "report choosable clean",
      keyOf: ({ path }) => path,
      cellsOf: (row) => this.cells(row),
      mark: (line, row) => {
        const planned = plannedBy(store.plan.peek(), row.path) !== undefined;
        line.classList.toggle("planned", planned);
        mark(line, "aria-selected", String(this.chosen?.path === row.path));
        mark(line, "aria-description", planned ? "in the plan" : undefined);
      },
      choose: (row, at) => this.choose(row, at),
      plan: (rows) => this.plan(rows),
      pointed: (row) => {
        store.hover.value = row?.path;
      },
    });
    this.table.setHead(
      headCell("Class", "text"),
      headCell("Path", "path"),
      headCell("What it is", "text why"),
      headCell("Frees", "number bytes"),
    );
    this.element = element(
      "div",
      { class: "filled" },
      this.about,
      this.button,
      this.progress,
      this.cancel,
      element("div", { class: "option keep" }, this.classes, this.planSafe),
      this.table.element,
      this.detail,
    );
    this.detail.hidden = true;
    this.planSafe.hidden = true;
    whileShown(
      store,
      "clean",
      () => store.subject.value,
      (changed) => void this.load(changed),
    );
    watch(
      () => void store.plan.value,
      () => {
        this.table.remark();
        this.showDetail();
      },
    );
  }

  focus(): void {
    this.table.focus();
  }

  private async begin(): Promise<void> {
    this.button.disabled = true;
    try {
      this.fillHead(await api.findClean());
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
    // Who opens the tab wants to know. It takes seconds at most, unlike a search for duplicates.
    const asks = this.answer?.state === "none" && this.store.status.peek()?.can_find_duplicates;
    if (asks) await this.begin();
    else this.askAgain();
  }

  private askAgain(): void {
    if (this.answer?.state !== "running" || !this.element.isConnected) return;
    this.timer = window.setTimeout(() => void this.load(false), betweenQuestions);
  }

  private async ask(page: Page, signal: AbortSignal): Promise<Part<Row>> {
    const answer = await api.clean(this.store.subject.peek(), page, signal);
    this.answer = answer;
    const rows = answer.rows.map((item) => ({ path: pathOf(item.path, item.path_b64), item }));
    if (answer.offset === 0) this.store.removable.value = rows.map(({ path }) => path);
    return { generation: answer.generation, total: answer.total, offset: answer.offset, rows };
  }

  private fillHead(answer: Clean): void {
    this.answer = answer;
    const { store } = this;
    const running = answer.state === "running";
    const done = answer.state === "done";
    const possible = store.status.peek()?.source !== "file";
    this.button.hidden = running || done || !possible;
    this.button.disabled = store.scanning.peek();
    this.progress.hidden = this.cancel.hidden = !running;
    this.classes.replaceChildren(
      ...answer.classes.map((sum) => {
        const dot = element("span", { class: `dot ${sum.class}`, "aria-hidden": "true" });
        return element("li", {}, dot, classText(sum));
      }),
    );
    this.planSafe.hidden = !answer.classes.some((sum) => sum.class === "safe" && sum.items > 0);
    setText(this.about, this.headOf(answer, possible));
    if (done) this.about.append(...this.elsewhere());
  }

  private showNothing(): void {
    const { store } = this;
    store.removable.value = [];
    this.chosen = undefined;
    this.showDetail();
    this.button.hidden = store.status.peek()?.source === "file";
    this.button.disabled = store.scanning.peek();
    this.progress.hidden = this.cancel.hidden = this.planSafe.hidden = true;
    this.classes.replaceChildren();
    setText(this.about, noResults);
  }

  // Where to look for what the rules do not know.
  private elsewhere(): (Node | string)[] {
    const link = (tab: Tab, text: string) =>
      element("a", { href: this.store.linkTo({ tab }) }, text);
    return [
      " What you no longer need may also be among the ",
      link("files", "largest files"),
      ", the ",
      link("duplicates", "duplicates"),
      " or the ",
      link("ages", "oldest files"),
      ".",
    ];
  }

  private headOf(answer: Clean, possible: boolean): string {
    const place = placeText(this.store);
    switch (answer.state) {
      case "running":
        return "Looking for caches, build results and the like, and for the evidence that they are.";
      case "done":
        if (answer.total === 0)
          return `Nothing ${place} is known to be removable: no rule of fathom clean found a cache or a build result with the files that prove it.`;
        return `What can be removed ${place}, the safest first. Nothing is removed by a click; choose a row for the reasons.`;
      case "failed":
        return `The search failed: ${answer.message}`;
      case "interrupted":
        return "The search was interrupted.";
      default:
        if (!possible) return "A saved scan cannot be searched, because its files are not here.";
        return "Looks for caches, build results and the like, by the rules of fathom clean. Nothing is changed.";
    }
  }

  private cells({ path, item }: Row): HTMLElement[] {
    const [title, meaning] = classTitles[item.class];
    const dot = element("span", { class: `dot ${item.class}`, "aria-hidden": "true" });
    return [
      element(
        "td",
        { class: "text", title: meaning },
        element("span", { class: "cell" }, dot, title),
      ),
      element("th", { scope: "row", class: "path" }, shortName(this.store, path)),
      element("td", { class: "text why", title: item.why }, item.why),
      bytesCell(item.freed_bytes),
    ];
  }

  private choose(row: Row, at: number): void {
    this.chosen = this.chosen?.path === row.path ? undefined : row;
    if (isWithin(row.path, this.store.directory.peek())) this.store.select(row.path);
    this.table.remark();
    this.showDetail();
    this.table.show(at); // the reasons take its place
  }

  private plan(rows: readonly Row[]): void {
    const allowed = rows.filter(({ item }) => item.class !== "tool");
    this.store.togglePlanned(...allowed.map(({ path }) => path));
  }

  private async planAllSafe(): Promise<void> {
    const paths: Path[] = [];
    try {
      for (let at = 0; ; ) {
        const page = { offset: at, limit: 1000 };
        const { rows, total } = await api.clean(this.store.subject.peek(), page);
        const safe = rows.filter((item) => item.class === "safe");
        paths.push(...safe.map((item) => pathOf(item.path, item.path_b64)));
        at += rows.length;
        if (safe.length < rows.length || rows.length === 0 || at >= total) break;
      }
    } catch (error) {
      this.store.failed(error);
      return;
    }
    this.store.addPlanned(paths);
  }

  // Why the chosen item can be removed, and how it comes back.
  private showDetail(): void {
    const row = this.chosen;
    this.detail.hidden = row === undefined;
    if (!row) return;
    const { item, path } = row;
    const { store } = this;
    const facts: (readonly [string, string])[] = [
      ["Rule", `${item.rule}: ${item.why}`],
      ["Evidence", item.evidence.join(", ")],
      ["But", item.demotions.join("; ")],
      ["Comes back by", item.rebuild ?? ""],
      ["Newest", item.newest === null ? "" : agoText(item.newest, store.taken.peek())],
      ["Holds", `${bytesText(item.used_bytes)} in ${counted(item.entries, "entry", "entries")}`],
    ];
    const list = element("dl");
    for (const [name, text] of facts)
      if (text !== "") list.append(element("dt", {}, name), element("dd", {}, text));
    const action = item.command === null ? this.planButton(row) : commandLine(item.command);
    this.detail.replaceChildren(element("h3", {}, entryLink(store, path, path)), list, action);
  }

  private planButton(row: Row): HTMLButtonElement {
    const planned = plannedBy(this.store.plan.peek(), row.path) !== undefined;
    const text = planned ? "Take out of the plan" : "Put into the plan";
    return button(text, () => this.plan([row]), { "aria-label": `${text}: ${shown(row.path)}` });
  }
}
