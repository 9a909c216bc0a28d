// A table of a long list, of which only the rows near the visible ones exist.
//
// It is a grid for assistive tools: Tab reaches one row, the arrow keys the others. All rows have
// the height --row of the style. Rows that are not here yet are empty, and are requested.

import { element, mark, setText } from "../dom";
import type { PagedList } from "../net/paged_list";
import { watch } from "../state/watch";
import { isPlain } from "./entry_link";

/** What the rows of a table show and do. */
export interface RowView<Row> {
  /** The name of the table for screen readers. */
  readonly label: string;
  readonly className: string;
  cellsOf(row: Row): HTMLElement[];
  /** Equal for the same entry in another snapshot. */
  keyOf(row: Row): string;
  /** Marks the row as selected, pointed at and so on; called whenever that may have changed. */
  mark?(line: HTMLTableRowElement, row: Row): void;
  /** A click on the row, or Enter. */
  choose(row: Row, at: number): void;
  /** Enter, if it means something else than a click. */
  enter?(row: Row): void;
  /** Puts the rows into the plan, or takes the only one out: Space, and a click with Ctrl or Shift. */
  plan?(rows: readonly Row[]): void;
  /** The focus is on the row. */
  focused?(row: Row): void;
  /** The pointer is on the row, or on none. */
  pointed?(row: Row | undefined): void;
  /** The user asks for the menu of the row. */
  menu?(row: Row, at: { x: number; y: number }): void;
}

interface Line<Row> {
  readonly element: HTMLTableRowElement;
  row: Row | undefined;
}

const overscan = 8; // rows beyond the visible ones
const usualHeight = 28;

export class VirtualTable<Row> {
  /** The place of the table, which scrolls. */
  readonly element: HTMLElement;
  private readonly table: HTMLTableElement;
  private readonly caption = element("caption", { class: "unseen" });
  private readonly head = element("tr");
  private readonly body = element("tbody");
  private lines = new Map<number, Line<Row>>();
  private height = usualHeight;
  private frame = 0;
  private top = 0; // where the user has scrolled to; a list that is too short now may grow again
  private active = 0; // the row that Tab reaches
  private activeKey: string | undefined;
  private rangeFrom = 0; // the row that Shift selects from

  constructor(
    private readonly list: PagedList<Row>,
    private readonly view: RowView<Row>,
  ) {
    const { label, className } = view;
    this.table = element(
      "table",
      { class: className, role: "grid", "aria-label": label },
      this.caption,
      element("thead", {}, this.head),
      this.body,
    );
    this.element = element("div", { class: "scroll" }, this.table);
    this.body.addEventListener("click", (event) => this.click(event));
    this.body.addEventListener("contextmenu", (event) => this.menu(event));
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.body.addEventListener("focusin", (event) => this.focusedAt(event));
    this.body.addEventListener("pointerover", (event) => {
      if (event.pointerType !== "touch") view.pointed?.(this.at(event)?.row);
    });
    this.body.addEventListener("pointerleave", () => view.pointed?.(undefined));
    this.element.addEventListener("scroll", () => this.scrolled(), { passive: true });
    document.addEventListener("scroll", () => this.later(), { capture: true, passive: true });
    new ResizeObserver(() => this.measure()).observe(this.element);
    watch(
      () => void list.version.value,
      () => this.renew(),
    );
  }

  setHead(...cells: HTMLElement[]): void {
    this.head.replaceChildren(...cells);
  }

  setCaption(text: string): void {
    setText(this.caption, text);
  }

  /** Marks all rows again. */
  remark(): void {
    for (const { element: line, row } of this.lines.values()) {
      if (row !== undefined) this.view.mark?.(line, row);
    }
  }

  /** Makes the cells of all rows again. */
  remake(): void {
    for (const line of this.lines.values()) this.fill(line, line.row);
  }

  /** Whether the table scrolls itself; otherwise the whole page does. */
  get scrolls(): boolean {
    return this.element.scrollHeight > this.element.clientHeight + 1;
  }

  scrollToTop(): void {
    this.active = 0;
    this.activeKey = undefined;
    this.top = 0;
    if (this.element.scrollTop !== 0) this.element.scrollTop = 0;
    else this.later();
  }

  /** Scrolls as far as is needed to show the row, or to the middle. */
  show(at: number, where: "nearest" | "center" = "nearest"): void {
    const head = this.head.offsetHeight;
    const room = this.element.clientHeight - head;
    const top = at * this.height;
    const { scrollTop } = this.element;
    const above = top < scrollTop;
    const below = top + this.height > scrollTop + room;
    if (this.scrolls && (above || below)) {
      const center = top - (room - this.height) / 2;
      this.element.scrollTop = where === "center" ? center : above ? top : top + this.height - room;
    }
    this.makeReachable(at);
    this.render();
    if (!this.scrolls) this.lines.get(at)?.element.scrollIntoView({ block: "nearest" });
  }

  /** Shows the row and gives it the focus. */
  focusRow(at: number): void {
    this.show(at);
    this.lines.get(at)?.element.focus({ preventScroll: true });
  }

  /** Gives the focus to the row that Tab reaches. */
  focus(): void {
    if (this.list.total > 0) this.focusRow(Math.min(this.active, this.list.total - 1));
  }

  get hasFocus(): boolean {
    return this.body.contains(document.activeElement);
  }

  // The rows have changed: the row with the focus stays at its entry.
  private renew(): void {
    const { list, view } = this;
    if (this.activeKey !== undefined) {
      const moved = list.find((row) => view.keyOf(row) === this.activeKey);
      if (moved >= 0) this.active = moved;
    }
    this.active = Math.max(0, Math.min(this.active, list.total - 1));
    mark(this.table, "aria-rowcount", String(list.total + 1));
    this.table.hidden = list.total === 0;
    const refocus = this.hasFocus;
    this.render();
    const top = Math.min(this.top, this.lowest);
    if (this.element.scrollTop !== top && this.element.isConnected) {
      this.element.scrollTop = top;
      this.render();
    }
    if (refocus) this.lines.get(this.active)?.element.focus({ preventScroll: true });
  }

  private get lowest(): number {
    return Math.max(0, this.element.scrollHeight - this.element.clientHeight);
  }

  // The browser scrolls, too, when the list becomes shorter.
  private scrolled(): void {
    const { scrollTop } = this.element;
    if (scrollTop < this.lowest - 1 || scrollTop > this.top) this.top = scrollTop;
  }

  private measure(): void {
    const text = getComputedStyle(this.element).getPropertyValue("--row");
    this.height = Number.parseFloat(text) || usualHeight;
    this.render();
  }

  private later(): void {
    if (this.frame !== 0 || !this.element.isConnected) return;
    this.frame = window.requestAnimationFrame(() => {
      this.frame = 0;
      this.render();
    });
  }

  // The rows that can be seen, in the element or, if that does not scroll, in the window.
  private visible(): { from: number; to: number } {
    const frame = this.element.getBoundingClientRect();
    const top = this.body.getBoundingClientRect().top;
    const first = (Math.max(frame.top, 0) - top) / this.height;
    const last = (Math.min(frame.bottom, window.innerHeight) - top) / this.height;
    const { total } = this.list;
    const from = Math.min(Math.max(0, Math.floor(first) - overscan), Math.max(0, total - 1));
    const to = Math.min(total, Math.max(from, Math.ceil(last) + overscan));
    return { from, to };
  }

  private render(): void {
    if (!this.element.isConnected) return;
    const { from, to } = this.visible();
    this.list.want(from, to);
    const wanted: number[] = [];
    for (let at = from; at < to; ++at) wanted.push(at);
    // The row with the focus exists wherever it is; without a focus, Tab reaches a visible row.
    const { total } = this.list;
    const away = this.active < from || this.active >= to;
    const pinned = away && this.active < total && this.hasFocus;
    if (pinned) wanted.push(this.active);
    const reachable = away && !pinned ? Math.min(from + overscan, to - 1) : this.active;
    wanted.sort((a, b) => a - b);
    const lines = new Map<number, Line<Row>>();
    for (const at of wanted) lines.set(at, this.lineFor(at, reachable));
    this.lines = lines;
    this.place(wanted, total);
  }

  private lineFor(at: number, reachable: number): Line<Row> {
    const row = this.list.row(at);
    let line = this.lines.get(at);
    if (!line) {
      line = { element: element("tr", { "aria-rowindex": at + 2 }), row: undefined };
      this.fill(line, row);
    } else if (line.row !== row) {
      this.fill(line, row);
    }
    line.element.setAttribute("tabindex", at === reachable ? "0" : "-1");
    return line;
  }

  private fill(line: Line<Row>, row: Row | undefined): void {
    line.row = row;
    const cells = row === undefined ? this.emptyCells() : this.view.cellsOf(row);
    line.element.replaceChildren(...cells);
    line.element.classList.toggle("pending", row === undefined);
    if (row !== undefined) this.view.mark?.(line.element, row);
  }

  private emptyCells(): HTMLElement[] {
    return [element("td", { colspan: Math.max(1, this.head.childElementCount) })];
  }

  // Puts rows and the gaps between them in place; what stays is not touched, and keeps the focus.
  private place(wanted: readonly number[], total: number): void {
    const parts: HTMLElement[] = [];
    let end = 0;
    const gap = (rows: number) => {
      if (rows <= 0) return;
      const filler = element("tr", { class: "gap", "aria-hidden": "true" }, element("td"));
      filler.style.height = `${rows * this.height}px`;
      parts.push(filler);
    };
    for (const at of wanted) {
      gap(at - end);
      parts.push(this.lines.get(at)!.element);
      end = at + 1;
    }
    gap(total - end);
    const stays = new Set<Element>(parts);
    for (const old of [...this.body.children]) if (!stays.has(old)) old.remove();
    let next = this.body.firstElementChild;
    for (const part of parts) {
      if (part === next) next = next.nextElementSibling;
      else this.body.insertBefore(part, next);
    }
  }

  private makeReachable(at: number): void {
    this.lines.get(this.active)?.element.setAttribute("tabindex", "-1");
    this.active = at;
    const row = this.list.row(at);
    this.activeKey = row === undefined ? undefined : this.view.keyOf(row);
    this.lines.get(at)?.element.setAttribute("tabindex", "0");
  }

  private at(event: Event): { at: number; row: Row } | undefined {
    const inner = (event.target as Element | null)?.closest("tr");
    for (const [at, { element: line, row }] of this.lines) {
      if (line === inner && row !== undefined) return { at, row };
    }
    return undefined;
  }

  private click(event: MouseEvent): void {
    const found = this.at(event);
    if (!found || event.button !== 0) return;
    const { view } = this;
    const { row, at } = found;
    const selection = window.getSelection();
    if (selection?.isCollapsed === false && !event.shiftKey) return; // text to copy
    if (event.shiftKey && view.plan) {
      selection?.removeAllRanges();
      view.plan(this.rowsBetween(this.rangeFrom, at));
    } else if ((event.ctrlKey || event.metaKey) && view.plan) {
      view.plan([row]);
    } else if (isPlain(event)) {
      view.choose(row, at);
    } else {
      return;
    }
    event.preventDefault();
    this.rangeFrom = at;
  }

  private rowsBetween(one: number, other: number): Row[] {
    const rows: Row[] = [];
    for (let at = Math.min(one, other); at <= Math.max(one, other); ++at) {
      const row = this.list.row(at);
      if (row !== undefined) rows.push(row);
    }
    return rows;
  }

  private menu(event: MouseEvent): void {
    const found = this.at(event);
    if (!found || !this.view.menu) return;
    event.preventDefault();
    this.view.menu(found.row, { x: event.clientX, y: event.clientY });
  }

  private focusedAt(event: FocusEvent): void {
    const found = this.at(event);
    if (!found) return;
    this.makeReachable(found.at);
    this.view.focused?.(found.row);
  }

  private key(event: KeyboardEvent): void {
    const found = this.at(event);
    if (!found || event.ctrlKey || event.metaKey || event.altKey) return;
    const { at, row } = found;
    const last = this.list.total - 1;
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.height) - 2);
    const target: Readonly<Record<string, number>> = {
      ArrowDown: Math.min(last, at + 1),
      ArrowUp: Math.max(0, at - 1),
      PageDown: Math.min(last, at + page),
      PageUp: Math.max(0, at - page),
      Home: 0,
      End: last,
    };
    const next = target[event.key];
    if (next !== undefined) this.focusRow(next);
    else if (!this.act(event.key, row, at)) return;
    event.preventDefault();
  }

  // Returns whether the key means something.
  private act(key: string, row: Row, at: number): boolean {
    const { view } = this;
    if (key === " " && view.plan) {
      view.plan([row]);
      this.rangeFrom = at;
      if (at + 1 < this.list.total) this.focusRow(at + 1);
    } else if (key === "Enter" && view.enter) {
      view.enter(row);
    } else if (key === "Enter" || key === " ") {
      view.choose(row, at);
    } else if (view.menu && (key === "." || key === "ContextMenu")) {
      const { left, bottom } = this.lines.get(at)!.element.getBoundingClientRect();
      view.menu(row, { x: left + 24, y: bottom });
    } else {
      return false;
    }
    return true;
  }
}
