// The tabs and their panels.

import { swatch } from "../dom";
import type { Row } from "../net/api";
import type { Tab } from "../state/address";
import type { Store } from "../state/store";
import { AgesPanel } from "./ages_panel";
import { CleanPanel } from "./clean_panel";
import { DirectoryPanel } from "./directory_panel";
import { DuplicatesPanel } from "./duplicates_panel";
import type { EntryMenu } from "./entry_menu";
import { GrowthPanel } from "./growth_panel";
import type { Panel } from "./panel";
import { type ReportOptions, ReportPanel } from "./report_panel";
import { SearchPanel } from "./search_panel";
import { TypesPanel } from "./types_panel";

/** The titles of the tabs, those of the first questions first; the third text is what a tooltip adds. */
export const tabTitles: readonly (readonly [Tab, string, string?])[] = [
  ["directory", "Directory"],
  ["growth", "Growth", "What changed between snapshots"],
  ["clean", "Clean", "What can be removed, with the reason"],
  ["types", "Types"],
  ["ages", "Ages"],
  ["owners", "Owners"],
  ["files", "Largest", "Largest files"],
  ["duplicates", "Duplicates"],
  ["errors", "Errors"],
  ["search", "Search"],
];

// The label of an owner without a name.
function ownerOf(id: unknown): string {
  return typeof id === "number" ? String(id) : "unknown";
}

// The colour of users in the map, when it shows owners.
function swatchOf(row: Row, store: Store): HTMLElement | undefined {
  const colours = store.colours.peek();
  if (colours.by !== "owner" || row.kind !== "user" || typeof row.id !== "number") return undefined;
  return swatch(colours.ofOwner(row.id));
}

const owners: ReportOptions = {
  tab: "owners",
  kind: "owners",
  about: (place) =>
    `Disk usage by user, then by group, ${place}. Choose a user to light up the files in the map.`,
  empty: "No entries.",
  hidden: ["id", "files"],
  badge: swatchOf,
  highlight: (row) =>
    row.kind === "user" && typeof row.id === "number" ? { owner: row.id } : undefined,
  instead: (row, key) => (key === "name" ? ownerOf(row.id) : undefined),
};

const files: ReportOptions = {
  tab: "files",
  kind: "largest_files",
  about: (place) => `The largest files ${place}.`,
  empty: "No files.",
  count: 1000,
};

const errors: ReportOptions = {
  tab: "errors",
  kind: "errors",
  about: (place) => `Unreadable items ${place}. Sizes of their parent directories are minimums.`,
  empty: "No errors.",
  hidden: ["errno"],
};

export function makePanels(
  store: Store,
  menu: EntryMenu,
): Readonly<Record<Tab, Panel>> & Readonly<{ directory: DirectoryPanel; growth: GrowthPanel }> {
  return {
    directory: new DirectoryPanel(store, menu),
    types: new TypesPanel(store),
    ages: new AgesPanel(store),
    owners: new ReportPanel(store, owners),
    files: new ReportPanel(store, files),
    growth: new GrowthPanel(store),
    clean: new CleanPanel(store),
    duplicates: new DuplicatesPanel(store),
    errors: new ReportPanel(store, errors),
    search: new SearchPanel(store, menu),
  };
}
