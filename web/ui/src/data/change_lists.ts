// What changed between two states of a directory, in the lists of `fathom diff`: unlike the sizes of
// directories, they tell what was moved from what is new or gone.

import type { Diff } from "../net/api";
import type { Tab } from "../state/address";
import { type Path, pathOf } from "./path";

export interface ListedChange {
  readonly path: Path; // of what is gone, as it was
  readonly tab: Tab; // that shows it: only the comparison has what the scan may lack
  readonly from: Path | undefined; // of what was moved
  readonly kind: Diff["moves"][number]["kind"];
  readonly bytes: number; // the change; of what was moved, the size
}

export interface ChangeList {
  readonly title: string;
  readonly total: number;
  readonly changes: readonly ListedChange[]; // the largest first
}

export const mostListed = 5; // of each list

/** The lists that are not empty, and the largest of their entries. */
export function changeLists(diff: Diff): ChangeList[] {
  const { changed, created, removed, moves, counts } = diff;
  const tab = tabAfter(diff);
  return [
    { title: "Grown and shrunk", total: counts.changed, changes: listed(changed, tab) },
    { title: "New", total: counts.created, changes: listed(created, tab) },
    { title: "Gone", total: counts.removed, changes: listed(removed, "growth") },
    { title: "Moved", total: counts.moves, changes: listed(moves, tab) },
  ].filter(({ total }) => total > 0);
}

/** What gained or lost most. A move is neither. */
export function changedMost(diff: Diff): ListedChange | undefined {
  const { changed, created, removed } = diff;
  const tab = tabAfter(diff);
  const all = [...listed(changed, tab), ...listed(created, tab), ...listed(removed, "growth")];
  return all.sort((a, b) => Math.abs(b.bytes) - Math.abs(a.bytes))[0];
}

// The tab that shows what exists after the changes. What a snapshot has may be gone today.
function tabAfter({ to }: Diff): Tab {
  return to.id === null ? "directory" : "growth";
}

function listed(entries: Diff["moves"], tab: Tab): ListedChange[] {
  return entries
    .slice(0, mostListed)
    .map(({ path, path_b64, from, from_b64, kind, change, after }) => ({
      path: pathOf(path, path_b64),
      tab,
      from: from === undefined ? undefined : pathOf(from, from_b64),
      kind,
      bytes: from === undefined ? change : after,
    }));
}
