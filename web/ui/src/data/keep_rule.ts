// Keep rules: which one of equal files stays.

import { lastName, type Path } from "./path";

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
