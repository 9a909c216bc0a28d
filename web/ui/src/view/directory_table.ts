// The table of a directory: its entries, sorted by the server, a hundred rows at a time.

import { type Sort, usualOrder } from "../address";
import { shown } from "../data/label";
import { agoText, dateText, timeText } from "../data/moment";
import { bytesText, grouped, shareText } from "../data/number";
import { joinPath, type Path, pathOf } from "../data/path";
import { element, mark, setText } from "../dom";
import { api, bytesBy, type ChildrenAnswer, type Entry } from "../net/api";
import { firstRows } from "../net/rows";
import { Slot } from "../net/slot";
import type { Host, Panel } from "./host";
import { kindIcon, kindWord } from "./kind_icon";
import { More } from "./more";
import { nameElement } from "./name";

const pageSize = 100;
const mostAtOnce = 1000;
const mostSought = 20_000; // rows that are loaded to find an entry

const columns: readonly { sort: Sort; heading: string; className: string }[] = [
  { sort: "name", heading: "Name", className: "name-cell" },
  { sort: "size", heading: "Size", className: "size-cell" },
  { sort: "entries", heading: "Entries", className: "number entries-cell" },
  { sort: "modified", heading: "Modified", className: "time-cell" },
  { sort: "owner", heading: "Owner", className: "owner-cell" },
];

interface ShownRow {
  readonly path: Path;
  readonly entry: Entry;
  readonly element: HTMLTableRowElement;
}

export class DirectoryTable implements Panel {
  readonly element: HTMLElement;
  private readonly caption = element("caption", { class: "unseen" });
  private readonly body = element("tbody");
  private readonly note = element("p", { class: "note", hidden: true });
  private readonly headings = new Map<Sort, HTMLTableCellElement>();
  private readonly more: More;
  private readonly slot = new Slot();

  private rows: ShownRow[] = [];
  private total = 0;
  private shownFor = ""; // the directory and the order
  private generation = -1;
  private wanted: Path | undefined; // the entry whose row is being loaded

  constructor(
    private readonly host: Host,
    private readonly answered: (answer: ChildrenAnswer) => void,
  ) {
    const head = element("tr", {}, ...columns.map((column) => this.heading(column)));
    const table = element(
      "table",
      { class: "entries" },
      this.caption,
      element("thead", {}, head),
      this.body,
    );
    this.more = new More(() => void this.loadMore());
    this.element = element("div", { class: "scroll" }, table, this.note, this.more.element);
    this.body.addEventListener("click", (event) => this.click(event));
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") this.host.point(this.rowOf(event)?.path);
    });
    this.body.addEventListener("pointerleave", () => this.host.point(undefined));
    this.body.addEventListener("focusin", (event) => {
      const row = this.rowOf(event);
      if (row) this.host.choose(row.path);
    });
  }

  show(): void {
    void this.load();
  }

  refresh(): void {
    void this.load();
  }

  recolour(): void {
    for (const { element: row, entry } of this.rows)
      row.querySelector(".kind")?.replaceWith(kindIcon(entry, this.host.colours));
  }

  /** Marks the row of the entry, or of the directory that contains it. */
  chosen(path: Path | undefined, scroll: boolean): void {
    const { view, roots } = this.host;
    const child = path === undefined ? undefined : roots.childToward(view.path, path);
    for (const row of this.rows) {
      const isChosen = row.path === child;
      mark(row.element, "aria-current", isChosen ? "true" : undefined);
      if (isChosen) {
        this.makeReachable(row.element);
        if (scroll && this.scrolls()) row.element.scrollIntoView({ block: "nearest" });
      }
    }
  }

  /** Marks the row of the entry under the pointer in the treemap. */
  pointed(path: Path | undefined): void {
    const { view, roots } = this.host;
    const child = path === undefined ? undefined : roots.childToward(view.path, path);
    for (const row of this.rows) row.element.classList.toggle("pointed", row.path === child);
  }

  /** Scrolls to the row of the entry and focuses it, as soon as it is loaded. */
  reveal(path: Path): void {
    this.wanted = path;
    this.seek();
  }

  focus(): void {
    this.body.querySelector<HTMLElement>('tr[tabindex="0"]')?.focus();
  }

  private heading({ sort, heading, className }: (typeof columns)[number]): HTMLTableCellElement {
    const button = element("button", { type: "button" }, heading);
    button.addEventListener("click", () => this.sortBy(sort));
    const cell = element("th", { scope: "col", class: className }, button);
    this.headings.set(sort, cell);
    return cell;
  }

  private sortBy(sort: Sort): void {
    const { view } = this.host;
    const same = view.sort === sort;
    const order = same ? (view.order === "asc" ? "desc" : "asc") : usualOrder(sort);
    this.host.go({ sort, order }, "replace");
  }

  private updateHeadings(): void {
    const { sort, order } = this.host.view;
    for (const [column, cell] of this.headings) {
      const direction = order === "asc" ? "ascending" : "descending";
      mark(cell, "aria-sort", column === sort ? direction : undefined);
    }
  }

  // Requests as many rows as are on display, so that a new snapshot does not shorten the table.
  private async load(atLeast = this.rows.length): Promise<void> {
    const { path, measure, sort, order } = this.host.view;
    const { subject } = this;
    const again = this.isShown();
    const wanted = again ? Math.max(pageSize, atLeast) : pageSize;
    this.updateHeadings();
    try {
      const answer = await this.slot.take((signal) =>
        firstRows("children", wanted, (page) =>
          api.children(path, measure, sort, order, page, signal),
        ),
      );
      if (!answer) return;
      this.shownFor = subject;
      this.generation = answer.generation;
      this.fill(answer, path, again);
      this.answered(answer);
      this.seek();
    } catch (error) {
      if (!again) this.forget();
      this.host.failed(error);
    }
  }

  // Rows of another directory would be mistaken for this one's.
  private forget(): void {
    this.rows = [];
    this.total = 0;
    this.body.replaceChildren();
    this.more.update(0, 0);
    this.note.hidden = false;
    setText(this.note, "The contents of this directory are not available.");
  }

  // The directory, sort and measure of the rows.
  private get subject(): string {
    const { path, measure, sort, order } = this.host.view;
    return [path, measure, sort, order].join(" ");
  }

  // On small screens the whole page scrolls, and should stay at the treemap.
  private scrolls(): boolean {
    return this.element.scrollHeight > this.element.clientHeight;
  }

  private isShown(): boolean {
    return this.subject === this.shownFor;
  }

  private async loadMore(limit = pageSize): Promise<void> {
    if (this.slot.busy || this.rows.length >= this.total || !this.isShown()) return;
    const { path, measure, sort, order } = this.host.view;
    try {
      const page = { offset: this.rows.length, limit };
      const answer = await this.slot.take((signal) =>
        api.children(path, measure, sort, order, page, signal),
      );
      if (!answer) return;
      if (answer.generation === this.generation) {
        this.add(answer, path);
        this.seek();
      } else {
        void this.load(this.rows.length + limit); // rows of another snapshot do not match these
      }
    } catch (error) {
      this.wanted = undefined;
      this.host.failed(error);
    }
  }

  private fill(answer: ChildrenAnswer, directory: Path, again: boolean): void {
    const hadFocus = this.body.contains(document.activeElement);
    const focused = hadFocus ? this.rowIn(document.activeElement)?.path : undefined;
    this.rows = answer.children.map((entry) => this.makeRow(entry, answer.entry, directory));
    this.total = answer.total;
    this.body.replaceChildren(...this.rows.map((row) => row.element));
    this.finish(directory, answer.entry);
    if (!again) this.element.scrollTop = 0;
    if (hadFocus) this.focusAgain(again ? focused : this.host.chosen);
  }

  // The row with the focus was replaced: focus the new row of the same entry, or the first row.
  private focusAgain(path: Path | undefined): void {
    const row = this.rows.find((candidate) => candidate.path === path) ?? this.rows[0];
    if (!row) return;
    this.makeReachable(row.element);
    row.element.focus({ preventScroll: true });
  }

  private add(answer: ChildrenAnswer, directory: Path): void {
    const rows = answer.children.map((entry) => this.makeRow(entry, answer.entry, directory));
    this.rows.push(...rows);
    this.body.append(...rows.map((row) => row.element));
    this.finish(directory, answer.entry);
  }

  private finish(directory: Path, entry: Entry): void {
    this.more.update(this.rows.length, this.total);
    const where = directory === "" ? "the roots" : shown(directory);
    setText(this.caption, `Contents of ${where}: ${grouped(this.total)}`);
    this.note.hidden = this.total > 0;
    const scanning = this.host.status?.state === "scanning";
    const nothing = entry.kind === "directory" ? "This directory is empty." : factsOf(entry);
    setText(this.note, scanning ? "Nothing found here yet." : nothing);
    const first = this.rows[0];
    if (first && !this.body.querySelector('tr[tabindex="0"]')) this.makeReachable(first.element);
    this.chosen(this.host.chosen, false);
  }

  // The server does not report the index of an entry, so this loads page after page.
  private seek(): void {
    if (this.wanted === undefined || !this.isShown()) return;
    const row = this.rows.find(({ path }) => path === this.wanted);
    if (row) {
      this.wanted = undefined;
      this.makeReachable(row.element);
      row.element.focus({ preventScroll: true });
      row.element.scrollIntoView({ block: "center" });
    } else if (this.rows.length < Math.min(this.total, mostSought)) {
      void this.loadMore(mostAtOnce);
    } else {
      this.wanted = undefined;
    }
  }

  private makeRow(entry: Entry, around: Entry, directory: Path): ShownRow {
    const { host } = this;
    host.owners.meet(entry.uid, entry.owner);
    const path = joinPath(directory, pathOf(entry.name, entry.name_b64));
    const cells = [
      this.nameCell(entry, path),
      this.sizeCell(entry, around),
      element(
        "td",
        { class: "number entries-cell" },
        entry.kind === "directory" ? grouped(entry.entries) : "",
      ),
      this.timeCell(entry.modified),
      ownerCell(entry),
    ];
    const row = element("tr", { tabindex: -1 }, ...cells);
    return { path, entry, element: row };
  }

  private nameCell(entry: Entry, path: Path): HTMLTableCellElement {
    const { host } = this;
    const name = nameElement(pathOf(entry.name, entry.name_b64));
    const isDirectory = entry.kind === "directory";
    const shownName = isDirectory
      ? element("a", { href: host.linkTo({ path }), tabindex: -1, draggable: "false" }, name)
      : name;
    const cell = element("th", { scope: "row", class: "name-cell" });
    const box = element("span", { class: "cell" }, kindIcon(entry, host.colours), shownName);
    if (isDirectory) box.append(element("span", { class: "unseen" }, ", directory"));
    else if (entry.kind !== "file")
      box.append(element("span", { class: "unseen" }, `, ${kindWord(entry.kind)}`));
    for (const { flag, text, title } of badges) {
      if (entry.flags.includes(flag)) box.append(element("span", { class: "badge", title }, text));
    }
    cell.append(box);
    return cell;
  }

  private sizeCell(entry: Entry, around: Entry): HTMLTableCellElement {
    const { measure } = this.host.view;
    const bytes = bytesBy(entry, measure);
    const whole = bytesBy(around, measure);
    const share = whole > 0 ? Math.min(1, bytes / whole) : 0;
    const bound = entry.flags.includes("incomplete") ? "≥ " : "";
    const bar = element("span", { class: "bar" });
    const filling = element("span");
    filling.style.width = `${(100 * share).toFixed(2)}%`;
    bar.append(filling);
    const title = `${bound}${grouped(bytes)} bytes`;
    return element(
      "td",
      { class: "size-cell", title },
      element(
        "span",
        { class: "sizes" },
        element("span", { class: "bytes" }, bound + bytesText(bytes)),
        element("span", { class: "share" }, shareText(share)),
      ),
      bar,
    );
  }

  private timeCell(modified: number | null): HTMLTableCellElement {
    if (modified === null) return element("td", { class: "time-cell" }, "-");
    const now = Date.now() / 1000;
    const title = `${timeText(modified)}, ${agoText(modified, now)}`;
    return element("td", { class: "time-cell", title }, dateText(modified));
  }

  private rowOf(event: Event): ShownRow | undefined {
    return this.rowIn(event.target as Element | null);
  }

  private rowIn(inner: Element | null): ShownRow | undefined {
    const row = inner?.closest("tr");
    return this.rows.find(({ element: candidate }) => candidate === row);
  }

  private click(event: MouseEvent): void {
    const row = this.rowOf(event);
    if (!row || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    if (window.getSelection()?.isCollapsed === false) return; // the user is selecting text to copy
    event.preventDefault();
    this.open(row);
  }

  private open(row: ShownRow): void {
    if (row.entry.kind === "directory") this.host.go({ path: row.path });
    else this.host.choose(row.path);
  }

  private key(event: KeyboardEvent): void {
    const row = this.rowOf(event);
    if (!row || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = this.rows.indexOf(row);
    const last = this.rows.length - 1;
    const target: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(last, at + 1),
      ArrowUp: Math.max(0, at - 1),
      PageDown: Math.min(last, at + 15),
      PageUp: Math.max(0, at - 15),
      Home: 0,
      End: last,
    };
    const next = target[event.key];
    if (next !== undefined) {
      const { element: line } = this.rows[next]!;
      this.makeReachable(line);
      line.focus();
      if (next === last) void this.loadMore();
    } else if (event.key === "Enter") {
      this.open(row);
    } else {
      return;
    }
    event.preventDefault();
  }

  // Tab reaches one row, the arrow keys the others.
  private makeReachable(row: HTMLElement): void {
    for (const other of this.body.querySelectorAll('tr[tabindex="0"]')) {
      if (other !== row) other.setAttribute("tabindex", "-1");
    }
    row.setAttribute("tabindex", "0");
  }
}

const badges = [
  { flag: "incomplete", text: "incomplete", title: "Part of it could not be read" },
  { flag: "extra_link", text: "link", title: "Another name of a file that is counted elsewhere" },
  { flag: "repeated", text: "repeated", title: "Reached twice; counted at another path" },
  { flag: "unwanted", text: "filtered out", title: "Does not match the filters" },
  { flag: "holds_more", text: "exclusions", title: "Some of its entries were excluded" },
] as const;

// The facts about an entry that is not a directory: a root may be a file.
function factsOf(entry: Entry): string {
  const facts = [
    `${bytesText(entry.disk_bytes)} on disk`,
    `${bytesText(entry.apparent_bytes)} apparent`,
  ];
  if (entry.modified !== null) facts.push(`modified ${timeText(entry.modified)}`);
  if (entry.owner !== null) facts.push(`owner ${entry.owner}`);
  return `This is a ${kindWord(entry.kind)}: ${facts.join(", ")}.`;
}

function ownerCell(entry: Entry): HTMLTableCellElement {
  const cell = element("td", { class: "owner-cell" });
  if (entry.owner !== null) cell.append(nameElement(pathOf(entry.owner, entry.owner_b64)));
  else cell.append(entry.uid === null ? "-" : String(entry.uid));
  if (entry.uid !== null) cell.title = `uid ${entry.uid}`;
  return cell;
}
