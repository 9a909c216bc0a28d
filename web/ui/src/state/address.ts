// The view of the page, encoded in the fragment of its URL, so that views can be linked to.
//
//   #path=/srv/a%FFb&select=/srv/a%FFb/core&measure=apparent&colour=age&tab=types&mark=ext:gz
//
// Values that equal the initial view are omitted. Paths are percent-encoded bytes.

import type { ColourBy } from "../data/colour";
import { decodePath, encodePath, type Path } from "../data/path";
import { type Highlight, highlightText, parseHighlight } from "./highlight";

export const measures = ["disk", "apparent", "exclusive"] as const;
export type Measure = (typeof measures)[number];

export const colourings = ["type", "branch", "age", "owner"] as const satisfies readonly ColourBy[];

export const tabs = [
  "directory",
  "growth",
  "clean",
  "types",
  "ages",
  "owners",
  "files",
  "duplicates",
  "errors",
  "search",
] as const;
export type Tab = (typeof tabs)[number];

export const sorts = ["size", "name", "entries", "modified", "owner"] as const;
export type Sort = (typeof sorts)[number];
export type Order = "asc" | "desc";

/** What reports and searches are about: the directory that is shown, or the whole scan. */
export type Scope = "directory" | "all";

/** What the page shows. */
export interface View {
  readonly path: Path; // "" is the top
  readonly selected: Path | undefined; // an entry at or below the path
  readonly measure: Measure;
  readonly colour: ColourBy;
  readonly tab: Tab;
  readonly scope: Scope;
  readonly query: string;
  readonly highlight: Highlight | undefined;
  readonly sort: Sort;
  readonly order: Order;
  readonly from: string; // the id of a snapshot; "" is the one before `to`
  readonly to: string; // the id of a snapshot; "" is the scan that is shown
}

/** The order that the server uses by default. */
export function usualOrder(sort: Sort): Order {
  return sort === "name" || sort === "owner" ? "asc" : "desc";
}

export const firstView: View = {
  path: "",
  selected: undefined,
  measure: "disk",
  colour: "type",
  tab: "directory",
  scope: "directory",
  query: "",
  highlight: undefined,
  sort: "size",
  order: "desc",
  from: "",
  to: "",
};

function oneOf<T extends string>(values: readonly T[], text: string | undefined, otherwise: T): T {
  return values.find((value) => value === text) ?? otherwise;
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function idIn(text: string | undefined): string {
  return text !== undefined && /^[0-9a-f]{16}$/.test(text) ? text : "";
}

/** `usual` is the server's default measure. */
export function parseAddress(hash: string, usual: Measure = firstView.measure): View {
  const fields = new Map<string, string>();
  for (const field of hash.replace(/^#/, "").split("&")) {
    const at = field.indexOf("=");
    if (at > 0) fields.set(field.slice(0, at), field.slice(at + 1));
  }
  const textOf = (name: string) => decoder.decode(decodePath(fields.get(name) ?? ""));
  const sort = oneOf(sorts, fields.get("sort"), firstView.sort);
  return {
    path: encodePath(decodePath(fields.get("path") ?? "")),
    selected: encodePath(decodePath(fields.get("select") ?? "")) || undefined,
    measure: oneOf(measures, fields.get("measure"), usual),
    colour: oneOf(colourings, fields.get("colour"), firstView.colour),
    tab: oneOf(tabs, fields.get("tab"), firstView.tab),
    scope: fields.get("scope") === "all" ? "all" : "directory",
    query: textOf("q"),
    highlight: parseHighlight(textOf("mark")),
    sort,
    order: oneOf(["asc", "desc"] as const, fields.get("order"), usualOrder(sort)),
    from: idIn(fields.get("from")),
    to: idIn(fields.get("to")),
  };
}

export function addressOf(view: View, usual: Measure = firstView.measure): string {
  const fields: string[] = [];
  const add = (name: string, value: string) => {
    if (value !== "") fields.push(`${name}=${value}`);
  };
  const changed = (value: string, initial: string) => (value === initial ? "" : value);
  const encoded = (text: string) => encodePath(encoder.encode(text));
  add("path", view.path);
  add("select", view.selected ?? "");
  add("measure", changed(view.measure, usual));
  add("colour", changed(view.colour, firstView.colour));
  add("tab", changed(view.tab, firstView.tab));
  add("scope", changed(view.scope, firstView.scope));
  add("q", encoded(view.query));
  add("mark", view.highlight ? encoded(highlightText(view.highlight)) : "");
  add("sort", changed(view.sort, firstView.sort));
  add("order", changed(view.order, usualOrder(view.sort)));
  add("from", view.from);
  add("to", view.to);
  return `#${fields.join("&")}`;
}
