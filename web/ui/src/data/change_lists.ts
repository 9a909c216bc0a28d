// What changed between two states of a directory, in the lists of `fathom diff`: unlike the sizes of
// directories, they tell what was moved from what is new or gone.

import type { Diff } from "../net/api";
import { type Path, pathOf } from "./path";

export interface ListedChange {
  readonly path: Path; // of what is gone, as it was
  readonly gone: boolean;
  readonly from: Path | undefined; // of what was moved
  readonly kind: Diff["moves"][number]["kind"];
  readonly bytes: number; // the change; of what was moved, the size
}

export interface ChangeList {
  readonly title: string;
  readonly total: number;
  readonly changes: readonly ListedChange[]; // the largest first
}

const most = 5; // of each list

/** The lists that are not empty, and the largest of their entries. */
export function changeLists({ changed, created, removed, moves, counts }: Diff): ChangeList[] {
  return [
    { title: "Grown and shrunk", total: counts.changed, changes: listed(changed) },
    { title: "New", total: counts.created, changes: listed(created) },
    { title: "Gone", total: counts.removed, changes: listed(removed, true) },
    { title: "Moved", total: counts.moves, changes: listed(moves) },
  ].filter(({ total }) => total > 0);
}

/** What gained or lost most. A move is neither. */
export function changedMost({ changed, created, removed }: Diff): ListedChange | undefined {
  const all = [...listed(changed), ...listed(created), ...listed(removed, true)];
  return all.sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes))[0];
}

function listed(entries: Diff["moves"], gone = false): ListedChange[] {
  return entries.slice(0, most).map(({ path, path_b64, from, from_b64, kind, change, after }) => ({
    path: pathOf(path, path_b64),
    gone,
    from: from === undefined ? undefined : pathOf(from, from_b64),
    kind,
    bytes: from === undefined ? change : after,
  }));
}
