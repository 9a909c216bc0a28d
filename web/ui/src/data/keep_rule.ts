// Keep rules: which one of equal files stays, and what is planned of the others.

import { type Plan, plannedBy, withPaths } from "../state/plan";
import type { DirectoryPair } from "./equal_directories";
import { isWithin, lastName, type Path } from "./path";

export const keepRules = [
  ["first", "the first path"],
  ["shortest", "the shortest path"],
  ["longest", "the longest path"],
  ["last", "the last path"],
] as const;
export type KeepRule = (typeof keepRules)[number][0];

/** The path that stays, of those in the order of the paths. Equal ones: the first. */
export function keptOf(paths: readonly Path[], rule: KeepRule): Path {
  const depthOf = (path: Path) => path.length - lastName(path).length;
  const by = (better: (one: Path, other: Path) => boolean) =>
    paths.reduce((best, path) => (better(path, best) ? path : best));
  switch (rule) {
    case "shortest":
      return by((one, other) => depthOf(one) < depthOf(other));
    case "longest":
      return by((one, other) => depthOf(one) > depthOf(other));
    case "last":
      return paths[paths.length - 1]!;
    default:
      return paths[0]!;
  }
}

/** Groups of equal files, and the pairs of equal directories that some of the files make. */
export interface Equal {
  readonly groups: readonly { readonly paths: readonly Path[] }[];
  readonly pairs: readonly DirectoryPair[];
}

export interface Choice {
  /** Whether the file, or a file in the directory, is the one of its group that stays. */
  keeps(path: Path): boolean;
  /** The new plan: what was planned for another reason, and all copies that do not stay. */
  plan(): Plan;
}

/**
 * Chooses the file of each group that stays. Directories follow from that, so that one of three equal
 * ones stays, although there are three pairs. Copies that are planned already are chosen anew, because
 * the rule may be another one. Copies in other directories that are planned do not stay.
 */
export function chosenBy({ groups, pairs }: Equal, rule: KeepRule, planned: Plan): Choice {
  const files = groups.flatMap(({ paths }) => paths);
  const directories = pairs.flatMap(({ one, other }) => [one, other]);
  const copies = new Set([...files, ...directories]);
  const before = new Set([...planned].filter((path) => !copies.has(path)));
  const kept = new Set<Path>();
  for (const { paths } of groups) {
    const left = paths.filter((path) => plannedBy(before, path) === undefined);
    if (left.length > 0) kept.add(keptOf(left, rule));
  }
  const keeps = (path: Path) => kept.has(path) || [...kept].some((file) => isWithin(file, path));
  return {
    keeps,
    plan: () =>
      withPaths(before, [
        ...directories.filter((directory) => !keeps(directory)),
        ...files.filter((file) => !kept.has(file)),
      ]),
  };
}
