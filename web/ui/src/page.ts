// The page: creates the state and the parts that show it.

import { effect } from "@preact/signals-core";

import { byId } from "./dom";
import { MapView } from "./map/map_view";
import { api } from "./net/api";
import { type Tab, tabs, type View } from "./state/address";
import { Feed } from "./state/feed";
import { Here } from "./state/here";
import { rememberedRun, rememberRun } from "./state/last_run";
import { Matches } from "./state/matches";
import { rememberedPlan } from "./state/plan";
import { Router } from "./state/router";
import { Store } from "./state/store";
import { Controls } from "./view/controls";
import { Crumbs } from "./view/crumbs";
import { DiskGauge } from "./view/disk_gauge";
import { EntryMenu } from "./view/entry_menu";
import { Inspector } from "./view/inspector";
import { KeysDialog } from "./view/keys";
import { makePanels, tabTitles } from "./view/panels";
import { PlanBar } from "./view/plan_bar";
import { PlanDialog } from "./view/plan_dialog";
import { ScanState } from "./view/scan_state";
import { ScopeBar } from "./view/scope_bar";
import { Shell } from "./view/shell";
import { listenForShortcuts } from "./view/shortcuts";
import { Splitter } from "./view/splitter";
import { TabList } from "./view/tab_list";
import { Theme } from "./view/theme";
import { UndoDialog } from "./view/undo_dialog";

const fittingColours: Partial<Record<Tab, Partial<View>>> = {
  types: { colour: "type" },
  ages: { colour: "age" },
  owners: { colour: "owner" },
};

export function startPage(): void {
  const store = new Store();
  store.plan.value = rememberedPlan();
  store.lastRun.value = rememberedRun();
  effect(() => rememberRun(store.lastRun.value));
  const feed = new Feed(store);
  const router = new Router(store);
  const matches = new Matches(store);

  new Theme(store, byId<HTMLButtonElement>("theme"));
  new Splitter();
  new ScanState(store);
  new DiskGauge(store);
  new Crumbs(store);
  new ScopeBar(store);
  new Shell(store, {
    retry: () => feed.retry(),
    rescan: async () => {
      await api.rescan();
      feed.changed();
    },
  });
  new Here(store);
  const menu = new EntryMenu(store);
  new Inspector(store);
  const controls = new Controls(store);
  const keys = new KeysDialog();
  const undoDialog = new UndoDialog(store);
  const planDialog = new PlanDialog(store, () => undoDialog.open());
  new PlanBar(store, planDialog);
  const map = new MapView(store, matches, menu);
  const panels = makePanels(store, menu);
  const panel = byId("panel");
  // The map shows what the table is about.
  const openTab = (tab: Tab) => store.go({ tab, ...fittingColours[tab] });
  const tabList = new TabList(byId("tabs"), panel, tabTitles, openTab);

  effect(() => {
    const tab = store.tab.value;
    panel.replaceChildren(panels[tab].element);
    tabList.select(tab);
  });
  effect(() => {
    const unreadable = store.status.value?.accuracy.unreadable ?? 0;
    tabList.setCount("errors", unreadable);
  });

  const focusPanel = () => {
    const shown = panels[store.tab.peek()];
    if (shown.focus) shown.focus();
    else panel.focus();
  };
  byId("skip").addEventListener("click", (event) => {
    event.preventDefault();
    focusPanel();
  });
  byId("help").addEventListener("click", () => keys.open());
  listenForShortcuts({
    store,
    search: () => controls.focusSearch(),
    keys: () => keys.open(),
    map: () => map.focus(),
    table: focusPanel,
    tab: (at) => openTab(tabs[at]!),
    sort: (by) => {
      store.go({ tab: "directory" });
      panels.directory.sortBy(by);
    },
    measure: () => controls.nextMeasure(),
    colouring: () => controls.nextColouring(),
    spotlight: () => {
      matches.spotlight.value = !matches.spotlight.value;
    },
    tidy: () => map.tidy(),
    plan: () => planDialog.open(),
    undo: () => undoDialog.open(),
    snapshot: (by) => panels.growth.step(by),
  });

  // Addresses depend on the measure of the server, so the first status comes first.
  const waiting = store.status.subscribe((status) => {
    if (!status) return;
    router.start();
    queueMicrotask(() => waiting());
  });
  feed.start();
}
