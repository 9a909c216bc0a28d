// Which two states are compared.

import type { Snapshot } from "../net/api";

/** Two states of a directory. */
export interface Pair {
  readonly from: Snapshot;
  readonly to: Snapshot | undefined; // undefined is the scan that is shown
}

/**
 * The snapshots to compare, of those that are listed the latest first: those of the ids, or the
 * latest one before the other that differs enough from it. If none does, the latest one.
 */
export function pairOf(
  snapshots: readonly Snapshot[],
  from: string,
  to: string,
  differs: (snapshot: Snapshot) => boolean,
): Pair | undefined {
  const other = snapshots.find(({ id }) => id === to);
  const before = other ? snapshots.slice(snapshots.indexOf(other) + 1) : snapshots;
  const one = snapshots.find(({ id }) => id === from) ?? before.find(differs) ?? before[0];
  return one && one !== other ? { from: one, to: other } : undefined;
}
