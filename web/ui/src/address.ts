// The view of the page, encoded in the fragment of its URL, so that views can be linked to.
//
//   #path=/srv/a%FFb&measure=apparent&colour=age&tab=types
//
// Values that equal the initial view are omitted. Paths are percent-encoded bytes.

import type { ColourBy } from "./data/colour";
import { decodePath, encodePath, type Path } from "./data/path";

export const measures = ["disk", "apparent", "exclusive"] as const;
export type Measure = (typeof measures)[number];

export const colourings = ["type", "age", "owner"] as const satisfies readonly ColourBy[];

export const tabs = [
  "directory",
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

/** What the page shows. */
export interface View {
  readonly path: Path; // "" is the top
  readonly measure: Measure;
  readonly colour: ColourBy;
  readonly tab: Tab;
  readonly query: string;
  readonly within: boolean; // search below the path only
  readonly sort: Sort;
  readonly order: Order;
}

/** The order that the server uses by default. */
export function usualOrder(sort: Sort): Order {
  return sort === "name" || sort === "owner" ? "asc" : "desc";
}

export const firstView: View = {
  path: "",
  measure: "disk",
  colour: "type",
  tab: "directory",
  query: "",
  within: false,
  sort: "size",
  order: "desc",
};

function oneOf<T extends string>(values: readonly T[], text: string | undefined, otherwise: T): T {
  return values.find((value) => value === text) ?? otherwise;
}

const decoder = new TextDecoder();

/** `usual` is the server's default measure. */
export function parseAddress(hash: string, usual: Measure = firstView.measure): View {
  const fields = new Map<string, string>();
  for (const field of hash.replace(/^#/, "").split("&")) {
    const at = field.indexOf("=");
    if (at > 0) fields.set(field.slice(0, at), field.slice(at + 1));
  }
  const sort = oneOf(sorts, fields.get("sort"), firstView.sort);
  return {
    path: encodePath(decodePath(fields.get("path") ?? "")),
    measure: oneOf(measures, fields.get("measure"), usual),
    colour: oneOf(colourings, fields.get("colour"), firstView.colour),
    tab: oneOf(tabs, fields.get("tab"), firstView.tab),
    query: decoder.decode(decodePath(fields.get("q") ?? "")),
    within: fields.get("within") === "1",
    sort,
    order: oneOf(["asc", "desc"] as const, fields.get("order"), usualOrder(sort)),
  };
}

export function addressOf(view: View, usual: Measure = firstView.measure): string {
  const fields: string[] = [];
  if (view.path !== "") fields.push(`path=${view.path}`);
  if (view.measure !== usual) fields.push(`measure=${view.measure}`);
  if (view.colour !== firstView.colour) fields.push(`colour=${view.colour}`);
  if (view.tab !== firstView.tab) fields.push(`tab=${view.tab}`);
  if (view.query !== "") fields.push(`q=${encodePath(new TextEncoder().encode(view.query))}`);
  if (view.within) fields.push("within=1");
  if (view.sort !== firstView.sort) fields.push(`sort=${view.sort}`);
  if (view.order !== usualOrder(view.sort)) fields.push(`order=${view.order}`);
  return `#${fields.join("&")}`;
}
