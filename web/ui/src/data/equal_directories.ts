// Equal directories among duplicates: pairs that have the same files under the same names.
//
// A pair of equal files with equal names makes a pair of their directories a candidate, and of the
// directories around those, as long as these have equal names. Whether a candidate has other files,
// too, only the scan knows.

import { lastName, type Path } from "./path";

export interface Copies {
  readonly paths: readonly Path[];
  readonly size: number; // of each
}

export interface DirectoryPair {
  readonly one: Path;
  readonly other: Path;
  readonly files: number; // equal ones under the same names
  readonly bytes: number; // of all files of one of them
}

const mostPaths = 8; // of a group: pairs grow with the square
const leastFiles = 2; // a pair with one file is a group of two files

function directoryOf(path: Path): Path {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** The candidates, those with most bytes first. */
export function candidatePairs(groups: readonly Copies[]): DirectoryPair[] {
  const pairs = new Map<string, { one: Path; other: Path; files: number; bytes: number }>();
  const count = (one: Path, other: Path, size: number) => {
    const key = `${one}\n${other}`;
    const pair = pairs.get(key) ?? { one, other, files: 0, bytes: 0 };
    pair.files += 1;
    pair.bytes += size;
    pairs.set(key, pair);
  };
  for (const { paths, size } of groups) {
    const some = [...paths].sort().slice(0, mostPaths);
    some.forEach((first, at) => {
      for (const second of some.slice(at + 1)) {
        let [one, other] = [first, second];
        while (one !== other && lastName(one) === lastName(other)) {
          [one, other] = [directoryOf(one), directoryOf(other)];
          if (one === "" || other === "" || one === other) break;
          count(one, other, size);
        }
      }
    });
  }
  return [...pairs.values()]
    .filter(({ files }) => files >= leastFiles)
    .sort((a, b) => b.bytes - a.bytes || a.one.length - b.one.length);
}

/** How many files and entries a directory has, with everything in it. */
export interface Content {
  readonly files: number;
  readonly entries: number;
}

/**
 * The candidates of which both directories contain nothing but the equal files, without pairs that
 * are inside of other pairs.
 */
export function equalPairs(
  candidates: readonly DirectoryPair[],
  contentOf: (path: Path) => Content | undefined,
): DirectoryPair[] {
  const equal = candidates.filter(({ one, other, files }) => {
    const [a, b] = [contentOf(one), contentOf(other)];
    return a && b && a.files === files && b.files === files && a.entries === b.entries;
  });
  const keys = new Set(equal.map(({ one, other }) => `${one}\n${other}`));
  return equal.filter(({ one, other }) => {
    if (lastName(one) !== lastName(other)) return true;
    return !keys.has(`${directoryOf(one)}\n${directoryOf(other)}`);
  });
}

/** Whether the pairs explain all copies: each is in a directory of a pair, and not one alone. */
export function explained(paths: readonly Path[], pairs: readonly DirectoryPair[]): boolean {
  return pairs.some(({ one, other }) =>
    paths.every((path) => path.startsWith(`${one}/`) || path.startsWith(`${other}/`)),
  );
}
