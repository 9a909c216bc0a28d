// Comparisons of a directory at two times: its entries side by side, and a tree for the map.

import type { MapNode } from "../map/layout";
import { bytesBy, type Diff, type Entry } from "../net/api";
import type { Measure } from "../state/address";
import { joinPath, lastName, type Path, pathOf } from "./path";

export interface ChangedEntry {
  readonly name: Path;
  readonly entry: Entry; // as it is after, or was before
  readonly before: number;
  readonly after: number;
  readonly state: "kept" | "new" | "gone";
}

/** The entries of a directory; `total` is larger if these are only the largest. */
export interface Listing {
  readonly total: number;
  readonly children: readonly Entry[];
}

// So many directories are opened for the map, if each has that share of the whole.
const mostOpened = 12;
const leastShare = 0.02;

function byName({ children }: Listing): Map<Path, Entry> {
  return new Map(children.map((entry) => [pathOf(entry.name, entry.name_b64), entry]));
}

/**
 * What changed most comes first. If a listing is incomplete, an entry that is only in the other one
 * is left out: it may have become small, or have been small.
 */
export function compareEntries(before: Listing, after: Listing, measure: Measure): ChangedEntry[] {
  const old = byName(before);
  const now = byName(after);
  const wholeBefore = before.total <= before.children.length;
  const wholeAfter = after.total <= after.children.length;
  const rows: ChangedEntry[] = [];
  for (const [name, entry] of now) {
    const was = old.get(name);
    if (!was && !wholeBefore) continue;
    const sizes = { before: was ? bytesBy(was, measure) : 0, after: bytesBy(entry, measure) };
    rows.push({ name, entry, ...sizes, state: was ? "kept" : "new" });
  }
  for (const [name, entry] of old) {
    if (now.has(name) || !wholeAfter) continue;
    rows.push({ name, entry, before: bytesBy(entry, measure), after: 0, state: "gone" });
  }
  const changeOf = (row: ChangedEntry) => Math.abs(row.after - row.before);
  return rows.sort((a, b) => changeOf(b) - changeOf(a) || b.after - a.after);
}

interface Draft {
  readonly node: Omit<MapNode, "children">;
  readonly children: Draft[];
}

function draftOf(name: string, kind: MapNode["kind"], before: number, after: number): Draft {
  const node = {
    name,
    kind,
    bytes: Math.max(before, after),
    modified: null,
    newest: null,
    uid: null,
    owner: null,
    mode: null,
    flags: [],
    change: { before, after },
  };
  return { node, children: [] };
}

/** The directories in which it is worth to look what changed: the largest ones. */
export function worthOpening(rows: readonly ChangedEntry[]): ChangedEntry[] {
  const larger = ({ before, after }: ChangedEntry) => Math.max(before, after);
  const whole = rows.reduce((all, row) => all + larger(row), 0);
  return rows
    .filter((row) => row.entry.kind === "directory" && larger(row) > leastShare * whole)
    .sort((a, b) => larger(b) - larger(a))
    .slice(0, mostOpened);
}

/**
 * The tree of a comparison for the map: areas are the larger of both sizes. `dirs` are the changed
 * directories at any depth, if they are known; `inner` has the rows of directories in this one.
 */
export function comparisonTree(
  directory: Path,
  rows: readonly ChangedEntry[],
  dirs: Diff["dirs"] = [],
  inner: ReadonlyMap<Path, readonly ChangedEntry[]> = new Map(),
): MapNode {
  const sum = (value: (row: ChangedEntry) => number) =>
    rows.reduce((all, row) => all + value(row), 0);
  const root = draftOf(
    lastName(directory),
    "directory",
    sum(({ before }) => before),
    sum(({ after }) => after),
  );
  const drafts = new Map<Path, Draft>([[directory, root]]);
  const add = (holder: Path, { name, entry, before, after }: ChangedEntry) => {
    const draft = draftOf(entry.name, entry.kind, before, after);
    if (entry.name_b64 !== undefined) Object.assign(draft.node, { name_b64: entry.name_b64 });
    drafts.set(joinPath(holder, name), draft);
    drafts.get(holder)!.children.push(draft);
  };
  for (const row of rows) add(directory, row);
  for (const [path, its] of inner) for (const row of its) add(path, row);
  // A directory precedes those in it if it is shorter.
  const deeper = dirs.map((dir) => ({ dir, path: pathOf(dir.path, dir.path_b64) }));
  deeper.sort((a, b) => a.path.length - b.path.length);
  for (const { dir, path } of deeper) {
    const holder = drafts.get(path.slice(0, path.lastIndexOf("/")));
    if (!holder || holder === root || drafts.has(path)) continue;
    const draft = draftOf("", "directory", dir.before, dir.after);
    Object.assign(draft.node, nameIn(dir.path, dir.path_b64));
    drafts.set(path, draft);
    holder.children.push(draft);
  }
  return finished(root, [...drafts.values()]);
}

// The name of a path from the interface, again as text and, if needed, base64.
function nameIn(text: string, base64: string | undefined) {
  const name = text.slice(text.lastIndexOf("/") + 1);
  if (base64 === undefined) return { name };
  const bytes = atob(base64);
  return { name, name_b64: btoa(bytes.slice(bytes.lastIndexOf("/") + 1)) };
}

// Children before parents, because a parent contains its finished children.
function finished(root: Draft, drafts: readonly Draft[]): MapNode {
  const nodes = new Map<Draft, MapNode>();
  for (const draft of [...drafts].reverse()) {
    const { node, children } = draft;
    if (children.length === 0) {
      nodes.set(draft, node);
      continue;
    }
    const list = children.map((child) => nodes.get(child)!).sort((a, b) => b.bytes - a.bytes);
    const known = list.reduce((all, { bytes }) => all + bytes, 0);
    const rest = { entries: 1, bytes: Math.max(0, node.bytes - known) };
    nodes.set(draft, { ...node, bytes: Math.max(node.bytes, known), children: list, rest });
  }
  return nodes.get(root)!;
}
