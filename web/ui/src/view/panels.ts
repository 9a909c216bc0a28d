// The tabs and their panels: the directory's table, reports, duplicates, and search results.

import type { Tab } from "../address";
import { classOfExtension } from "../data/file_class";
import { element } from "../dom";
import type { Row } from "../net/api";
import { DuplicateGroups } from "./duplicates";
import type { Host, Panel } from "./host";
import { type ReportOptions, ReportTable } from "./report_table";
import { SearchResults } from "./search";

function extensionIn(row: Row): string {
  const name = row.extension;
  return typeof name === "string" ? name : "";
}

// A square in the colour of the class, so that the table serves as a legend. Files without an
// extension may be of any class.
function swatchOf(row: Row, host: Host): HTMLElement {
  const swatch = element("span", { class: "swatch", "aria-hidden": "true" });
  if (extensionIn(row) === "") swatch.style.visibility = "hidden";
  swatch.style.backgroundColor = host.colours.ofClass(classOfExtension(extensionIn(row)));
  return swatch;
}

// A link to the search for an extension. Undefined unless it can be written as a plain pattern.
function searchFor(row: Row, host: Host): string | undefined {
  const name = extensionIn(row);
  if (!/^[\w+-]+$/.test(name)) return undefined;
  return host.linkTo({ tab: "search", query: `*.${name}`, within: false });
}

// The label of a user without a name.
function userOf(id: unknown, nobody: string): string {
  return typeof id === "number" ? String(id) : nobody;
}

const types: ReportOptions = {
  kind: "extensions",
  about: "Files by extension.",
  empty: "No files.",
  badge: swatchOf,
  link: searchFor,
  instead: (_row, key) => (key === "extension" ? "none" : undefined),
};

const ages: ReportOptions = {
  kind: "ages",
  about: "Disk usage by time since the last modification: all users, then each user.",
  empty: "No entries.",
  hidden: ["uid", "from", "until", "files"],
  instead: (row, key) => (key === "user" ? userOf(row.uid, "everyone") : undefined),
};

const owners: ReportOptions = {
  kind: "owners",
  about: "Disk usage by user, then by group.",
  empty: "No entries.",
  hidden: ["id", "files"],
  instead: (row, key) => (key === "name" ? userOf(row.id, "unknown") : undefined),
};

const files: ReportOptions = {
  kind: "largest_files",
  about: "The largest files in the whole scan.",
  empty: "No files.",
  count: 1000,
};

const errors: ReportOptions = {
  kind: "errors",
  about: "Unreadable items. Sizes of their parent directories are minimums.",
  empty: "No errors.",
  hidden: ["errno"],
};

export function makePanels(host: Host, directory: Panel): Readonly<Record<Tab, Panel>> {
  return {
    directory,
    types: new ReportTable(host, types),
    ages: new ReportTable(host, ages),
    owners: new ReportTable(host, owners),
    files: new ReportTable(host, files),
    duplicates: new DuplicateGroups(host),
    errors: new ReportTable(host, errors),
    search: new SearchResults(host),
  };
}
