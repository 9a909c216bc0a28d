// The state of the page: a few signals, from which the views derive what they show.
//
// The view (what the address says) changes only by go() and by the router; the server's reports
// only by the feed. Nothing here knows the document.

import { batch, computed, signal } from "@preact/signals-core";

import { Branches, Colours, Owners, type Scheme } from "../data/colour";
import { isWithin, lastName, type Path, pathOf, Roots } from "../data/path";
import type { MapNode } from "../map/layout";
import { type Entry, Refusal, type Status, Unreachable } from "../net/api";
import { addressOf, firstView, type Measure, type Tab, type View } from "./address";
import { type Highlight, sameHighlight } from "./highlight";
import type { Run } from "./last_run";
import { type Plan, plannedBy, withoutPath, withPaths } from "./plan";

export type Connection = "connecting" | "online" | "gone" | "refused";

/** Whether a change of the view is a step for the back button. */
export type Step = "push" | "replace";

/** Two states of a directory. */
export interface Comparison {
  readonly path: Path;
  readonly root: MapNode;
}

export class Store {
  readonly view = signal<View>(firstView);
  readonly status = signal<Status | undefined>(undefined);
  /** The snapshot of the scan that the views show; it follows the status once a second. */
  readonly generation = signal(-1);
  readonly connection = signal<Connection>("connecting");
  readonly scheme = signal<Scheme>("light");
  readonly hover = signal<Path | undefined>(undefined);
  readonly plan = signal<Plan>(new Set());
  /** What the rules of fathom clean have found, the first of it. */
  readonly removable = signal<readonly Path[]>([]);
  /** What this page has applied last, and can undo. */
  readonly lastRun = signal<Run | undefined>(undefined);
  /** What went wrong, in words; empty if nothing did. It concerns the view of that moment. */
  readonly problem = signal("");
  /** What the page waits for, in words; empty if it does not wait. */
  readonly waiting = signal("");
  /** What screen readers shall say. */
  readonly announcement = signal("");
  /** Shown and announced for a moment. */
  readonly toast = signal("");
  /** The entry of the shown directory; undefined until it is known. */
  readonly entry = signal<Entry | undefined>(undefined);
  readonly ownersKnown = signal(0);
  readonly owners = new Owners();
  readonly branches = new Branches();
  /** The comparison that the map shows instead of the scan, if any. */
  readonly comparison = signal<Comparison | undefined>(undefined);
  step: Step = "replace";

  private readonly rootsText = computed(() =>
    JSON.stringify(this.status.value?.roots.map((root) => pathOf(root.path, root.path_b64)) ?? []),
  );
  readonly roots = computed(() => new Roots(JSON.parse(this.rootsText.value) as Path[]));
  readonly directory = computed(() => this.view.value.path || this.roots.value.top);
  readonly selected = computed(() => this.view.value.selected);
  readonly measure = computed(() => this.view.value.measure);
  readonly tab = computed(() => this.view.value.tab);
  /** The measure for addresses that name none. */
  readonly usual = computed<Measure>(() => this.status.value?.measure ?? firstView.measure);
  readonly scanning = computed(() => this.status.value?.state === "scanning");
  readonly taken = computed(() => this.status.value?.taken || Date.now() / 1000);
  /** The directory that reports and searches are about. */
  readonly subject = computed(() =>
    this.view.value.scope === "all" ? this.roots.value.top : this.directory.value,
  );
  readonly ready = computed(() => this.status.value !== undefined && this.generation.value >= 0);
  private readonly highlightText = computed(() =>
    JSON.stringify(this.view.value.highlight ?? null),
  );
  readonly highlight = computed(() => {
    void this.highlightText.value; // a new object only if it differs
    return this.view.peek().highlight;
  });
  private readonly colouring = computed(() => this.view.value.colour);
  readonly colours = computed(() => {
    const by = this.colouring.value;
    if (by === "owner") void this.ownersKnown.value;
    return new Colours(by, this.scheme.value, this.taken.value, this.owners);
  });

  go(change: Partial<View>, step: Step = "push"): void {
    const before = this.view.peek();
    const next = { ...before, ...change };
    if (addressOf(next) === addressOf(before)) return;
    batch(() => {
      this.step = step;
      if (step === "push") this.problem.value = ""; // it was about another view
      this.view.value = next;
    });
  }

  /** Opens the directory. On the way up, the directory that one comes from is selected. */
  open(path: Path, change: Partial<View> = {}, step: Step = "push"): void {
    const from = this.directory.peek();
    const selected =
      path !== from && isWithin(from, path) ? this.roots.peek().childToward(path, from) : undefined;
    this.go({ path, selected, ...change }, step);
  }

  /** Opens the directory of the entry, and selects the entry. */
  reveal(path: Path, step: Step = "push", tab: Tab = "directory"): void {
    const directory = this.roots.peek().parentOf(path);
    if (directory === undefined) return; // a root has no parent
    this.go({ path: directory, selected: path, tab }, step);
  }

  select(path: Path | undefined): void {
    this.go({ selected: path }, "replace");
  }

  isLit(highlight: Highlight): boolean {
    return sameHighlight(highlight, this.highlight.peek());
  }

  /** Lights up these entries alone, or nothing if they are lit up. */
  toggleHighlight(highlight: Highlight): void {
    this.go({ highlight: this.isLit(highlight) ? undefined : highlight }, "replace");
  }

  up(): void {
    const parent = this.roots.peek().parentOf(this.directory.peek());
    if (parent !== undefined) this.open(parent);
  }

  /** The address of the view that go() would show now. */
  linkTo(change: Partial<View>): string {
    return addressOf({ ...this.view.peek(), ...change }, this.usual.peek());
  }

  /** The name of the directory, for titles. */
  nameOf(path: Path): Path {
    return this.roots.value.paths.includes(path) ? path : lastName(path) || path;
  }

  /** Puts the entries into the plan, or takes the entry out. Roots cannot be planned. */
  togglePlanned(...paths: readonly Path[]): void {
    const plan = this.plan.peek();
    const roots = this.roots.peek();
    const single = paths.length === 1 ? paths[0]! : undefined;
    const planned = single === undefined ? undefined : plannedBy(plan, single);
    if (planned !== undefined) {
      this.plan.value = withoutPath(plan, planned);
      return;
    }
    const allowed = paths.filter((path) => path !== "" && !roots.paths.includes(path));
    this.plan.value = withPaths(plan, allowed);
  }

  /** Puts the entries into the plan. */
  addPlanned(paths: readonly Path[]): void {
    this.plan.value = withPaths(this.plan.peek(), paths);
  }

  /** Shows the error of a request. A lost server is found out by the feed. */
  failed(error: unknown): void {
    if (error instanceof Refusal && error.status === 401) this.connection.value = "refused";
    else if (error instanceof Refusal && error.status === 404)
      return; // Here leaves the directory
    else if (error instanceof Refusal) this.problem.value = error.message;
    else if (error instanceof Unreachable) this.connection.value = "gone";
    else throw error;
  }
}
