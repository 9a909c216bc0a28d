// Which two states are compared.

import type { Snapshot } from "../net/api";

/** Two states of a directory. */
export interface Pair {
  readonly from: Snapshot;
  readonly to: Snapshot | undefined; // undefined is the scan that is shown
}

/** The snapshots to compare: those of the ids, or the latest one before the other. */
export function pairOf(snapshots: readonly Snapshot[], from: string, to: string): Pair | undefined {
  const other = snapshots.find(({ id }) => id === to);
  const before = snapshots.filter(({ started }) => !other || started < other.started);
  const one = snapshots.find(({ id }) => id === from) ?? before[0];
  return one && one !== other ? { from: one, to: other } : undefined;
}
