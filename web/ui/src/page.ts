// The page: keeps the current view, and updates the parts that show it.

import { addressOf, firstView, type Measure, parseAddress, type Tab, type View } from "./address";
import { Colours, Owners } from "./data/colour";
import { shown } from "./data/label";
import { bytesText, counted, grouped } from "./data/number";
import { isWithin, lastName, type Path, pathOf, Roots } from "./data/path";
import { byId, setText } from "./dom";
import { MapView } from "./map/map_view";
import { api, bytesBy, type ChildrenAnswer, Refusal, type Status, Unreachable } from "./net/api";
import { Live } from "./net/live";
import { Throttle } from "./throttle";
import { Controls } from "./view/controls";
import { Crumbs } from "./view/crumbs";
import { DirectoryTable } from "./view/directory_table";
import type { Host, Panel } from "./view/host";
import { KeysDialog } from "./view/keys";
import { Notices } from "./view/notices";
import { makePanels } from "./view/panels";
import { ScanState } from "./view/scan_state";
import { TabList } from "./view/tab_list";
import { Theme } from "./view/theme";

const snapshotInterval = 1000; // ms, the minimum

const tabTitles: readonly (readonly [Tab, string, string?])[] = [
  ["directory", "Directory"],
  ["types", "Types"],
  ["ages", "Ages"],
  ["owners", "Owners"],
  ["files", "Largest", "Largest files"],
  ["duplicates", "Duplicates"],
  ["errors", "Errors"],
  ["search", "Search"],
];

export class Page implements Host {
  view: View = firstView;
  status: Status | undefined;
  roots = new Roots([]);
  chosen: Path | undefined;
  readonly owners = new Owners();
  colours: Colours;

  private readonly notices = new Notices(byId("notices"));
  private readonly theme: Theme;
  private readonly map: MapView;
  private readonly crumbs = new Crumbs(this, byId("crumbs"));
  private readonly scan = new ScanState(byId("scan"), (text) => this.announce(text));
  private readonly keys = new KeysDialog(byId<HTMLDialogElement>("keys"));
  private readonly table = new DirectoryTable(this, (answer) => this.described(answer));
  private readonly panels: Readonly<Record<Tab, Panel>>;
  private readonly tabs: TabList;
  private readonly panelPlace = byId("panel");
  private readonly controls = new Controls(this);
  private readonly rescan = byId<HTMLButtonElement>("rescan");
  private readonly live: Live;
  private readonly refreshing = new Throttle(snapshotInterval, () => this.refresh());

  private ended = false; // set when the token is rejected: nothing works without it
  private seen = { generation: -1, state: "" };
  private gone: Path | undefined; // the requested path, if it does not exist any more

  constructor() {
    this.theme = new Theme(byId<HTMLButtonElement>("theme"), () => this.recolour());
    this.colours = this.makeColours();
    this.map = new MapView(this);
    this.panels = makePanels(this, this.table);
    this.tabs = new TabList(byId("tabs"), this.panelPlace, tabTitles, (tab) => this.go({ tab }));
    this.live = new Live({
      status: (status) => this.heard(status),
      refused: () => this.refused(),
      gone: () => this.unreachable(),
    });
    this.wire();
  }

  start(): void {
    this.view = this.addressed();
    this.recolour();
    this.updateControls();
    this.live.start();
  }

  go(change: Partial<View>, how: "push" | "replace" = "push"): void {
    const next = { ...this.view, ...change };
    const address = addressOf(next, this.usual);
    if (address === addressOf(this.view, this.usual)) return;
    if (how === "push") {
      this.notices.hide("problem"); // it was about another view
      window.history.pushState(null, "", address);
    } else {
      window.history.replaceState(null, "", address);
    }
    this.apply(next);
  }

  linkTo(change: Partial<View>): string {
    return addressOf({ ...this.view, ...change }, this.usual);
  }

  reveal(path: Path, how: "push" | "replace" = "push"): void {
    const directory = this.roots.parentOf(path);
    if (directory === undefined) return; // a root has no parent
    this.go({ path: directory, tab: "directory" }, how);
    this.choose(path);
    this.table.reveal(path);
  }

  choose(path: Path | undefined): void {
    this.chosen = path;
    this.map.choose(path);
    this.table.chosen(path, true);
  }

  point(path: Path | undefined): void {
    this.map.pointAt(path);
  }

  pointed(path: Path | undefined): void {
    this.table.pointed(path);
  }

  announce(text: string): void {
    setText(byId("announcements"), text);
  }

  failed(error: unknown): void {
    if (error instanceof Refusal && error.status === 401) this.refused();
    else if (error instanceof Refusal && error.status === 404) this.missing();
    else if (error instanceof Refusal) this.notices.show("problem", error.message);
    else if (error instanceof Unreachable) this.live.retry();
    else throw error;
  }

  // --- reports of the server ---

  private heard(status: Status): void {
    if (this.ended) return;
    const first = this.status === undefined;
    this.status = status;
    this.notices.hide("gone");
    this.roots = new Roots(status.roots.map((root) => pathOf(root.path, root.path_b64)));
    this.scan.update(status, this.view.measure);
    this.updateForStatus(status);
    if (first) {
      this.apply(this.addressed());
    } else if (status.generation !== this.seen.generation || status.state !== this.seen.state) {
      if (status.state === "scanning") this.refreshing.want();
      else this.refreshing.now();
    }
    this.seen = { generation: status.generation, state: status.state };
  }

  private updateForStatus(status: Status): void {
    const scanning = status.state === "scanning";
    document.body.classList.toggle("scanning", scanning);
    this.rescan.hidden = status.source === "file";
    this.rescan.disabled = !status.can_rescan || scanning;
    this.controls.setScanning(scanning);
    const { unreadable } = status.accuracy;
    this.tabs.setNote("errors", unreadable > 0 ? grouped(unreadable) : "");
    if (status.state === "failed")
      this.notices.show("problem", `The scan failed: ${status.message}`);
    this.updateTitle();
  }

  private refresh(): void {
    if (this.ended || !this.status || document.hidden) return; // done when the page becomes visible
    this.colours = this.makeColours();
    this.loadMap();
    if (this.view.tab !== "directory") this.table.refresh();
    this.panels[this.view.tab].refresh();
  }

  private refused(): void {
    if (this.ended) return;
    this.ended = true;
    Notices.replacePage(
      "The token is missing or no longer valid",
      "fathom serve creates a new token each time it starts, and requires it in every request.",
      "Open the address that it printed when it started; the address contains the token. " +
        "If it is no longer running, start it again.",
    );
  }

  private unreachable(): void {
    if (this.ended) return;
    this.scan.lost();
    this.notices.show(
      "gone",
      "The server does not respond. The page shows the last data it received, and keeps trying.",
      { text: "Try now", run: () => this.live.retry() },
    );
  }

  // While a scan runs, the path may just not have been found yet.
  private missing(): void {
    const { path } = this.view;
    if (this.status?.state === "scanning") {
      const text = `${shown(path)} has not been found yet; the scan is still running.`;
      this.notices.show("waiting", text);
      return;
    }
    this.gone ??= path;
    const parent = this.roots.parentOf(path) ?? this.roots.top;
    if (parent === path) return;
    const what = shown(this.gone);
    this.go({ path: parent }, "replace");
    const where = this.view.path === "" ? "all roots" : shown(this.view.path);
    this.notices.show("problem", `${what} is not in this scan. Showing ${where}.`);
  }

  private described(answer: ChildrenAnswer): void {
    this.gone = undefined;
    this.notices.hide("waiting");
    const { entry } = answer;
    if (entry.kind !== "directory" && this.roots.parentOf(this.view.path) !== undefined) {
      this.reveal(this.view.path, "replace");
      return;
    }
    const bound = entry.flags.includes("incomplete") ? "≥ " : "";
    const bytes = `${bound}${bytesText(bytesBy(entry, this.view.measure))}`;
    byId("here").hidden = this.view.path === this.roots.top; // the scan state shows the same totals
    const sofar = this.status?.state === "scanning" ? " so far" : "";
    setText(byId("here"), `${bytes} in ${counted(entry.entries, "entry", "entries")}${sofar}`);
  }

  // --- display ---

  // The measure for addresses that name none.
  private get usual(): Measure {
    return this.status?.measure ?? firstView.measure;
  }

  private addressed(): View {
    return parseAddress(window.location.hash, this.usual);
  }

  private apply(asked: View): void {
    const before = this.view;
    const first = this.map.generation < 0;
    const path = asked.path === "" ? this.roots.top : asked.path;
    const next = { ...asked, path };
    this.view = next;
    const moved = first || next.path !== before.path;
    const measured = next.measure !== before.measure;
    if (moved) {
      const from = isWithin(before.path, next.path) ? before.path : next.path;
      this.chosen = this.roots.childToward(next.path, from);
      this.map.choose(this.chosen);
    }
    if (next.colour !== before.colour) this.recolour();
    this.updateControls();
    if (moved || measured) this.loadMap();
    if (next.tab !== "directory" && (moved || measured)) this.table.show();
    if (first || this.differs(before, next)) this.panels[next.tab].show();
    if (next.colour === "owner") void this.learnOwners();
  }

  // Whether the views show different data, or the same in different ways.
  private differs(one: View, other: View): boolean {
    const recoloured = { ...one, colour: other.colour };
    return addressOf(recoloured, this.usual) !== addressOf(other, this.usual);
  }

  private updateControls(): void {
    const { view } = this;
    this.controls.update(view);
    const panel = this.panels[view.tab].element;
    if (panel.parentElement !== this.panelPlace) this.panelPlace.replaceChildren(panel);
    this.tabs.select(view.tab);
    this.crumbs.update();
    if (this.status) this.scan.update(this.status, view.measure);
    this.updateTitle();
  }

  private updateTitle(): void {
    const { path } = this.view;
    const name = path === "" ? "All roots" : shown(lastName(path) || path);
    const scanning = this.status?.state === "scanning" ? " (scanning)" : "";
    document.title = this.status ? `${name}${scanning} - Fathom` : "Fathom";
  }

  private loadMap(): void {
    if (this.status) this.map.load().catch((error: unknown) => this.failed(error));
  }

  private makeColours(): Colours {
    const now = this.status?.taken || Date.now() / 1000;
    return new Colours(this.view.colour, this.theme.scheme, now, this.owners);
  }

  private recolour(): void {
    if (!this.map) return; // the theme is set before the map exists
    this.colours = this.makeColours();
    this.map.setTheme(this.theme.palette());
    this.panels[this.view.tab].recolour?.();
  }

  // The owners of the most bytes come first, and so get the most distinct colours.
  private async learnOwners(): Promise<void> {
    try {
      const { rows } = await api.owners({ offset: 0, limit: 100 });
      for (const row of rows) if (row.kind === "user") this.owners.meet(row.id, row.name);
      this.recolour();
    } catch (error) {
      this.failed(error);
    }
  }

  // --- input ---

  private wire(): void {
    document.addEventListener("visibilitychange", () => this.refreshing.want());
    window.addEventListener("popstate", () => this.apply(this.addressed()));
    byId("skip").addEventListener("click", (event) => {
      event.preventDefault();
      this.panelPlace.focus();
    });
    byId("help").addEventListener("click", () => this.keys.open());
    this.rescan.addEventListener("click", () => void this.scanAgain());
    document.addEventListener("keydown", (event) => this.key(event));
  }

  private async scanAgain(): Promise<void> {
    this.rescan.disabled = true;
    try {
      this.heard(await api.rescan());
    } catch (error) {
      this.rescan.disabled = false;
      this.failed(error);
    }
  }

  private key(event: KeyboardEvent): void {
    const { target } = event;
    const writing =
      target instanceof HTMLElement &&
      target.matches("input:not([type=radio], [type=checkbox]), select, dialog *");
    if (writing || event.ctrlKey || event.metaKey || event.altKey) return;
    const action = {
      "/": () => this.controls.focusSearch(),
      "?": () => this.keys.open(),
      m: () => this.map.focus(),
      t: () => this.focusTable(),
      Backspace: () => this.up(),
    }[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  private focusTable(): void {
    if (this.view.tab === "directory") this.table.focus();
    else this.panelPlace.focus();
  }

  private up(): void {
    const parent = this.roots.parentOf(this.view.path);
    if (parent !== undefined) this.go({ path: parent });
  }
}
