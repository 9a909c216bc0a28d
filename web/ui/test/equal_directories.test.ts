import assert from "node:assert/strict";
import { test } from "node:test";

import { candidatePairs, equalPairs, explained } from "../src/data/equal_directories";

const groups = [
  { paths: ["/a/photos/one.jpg", "/b/photos/one.jpg"], size: 100 },
  { paths: ["/a/photos/2026/two.jpg", "/b/photos/2026/two.jpg"], size: 50 },
  { paths: ["/a/photos/2026/three.jpg", "/b/photos/2026/three.jpg", "/c/three.jpg"], size: 10 },
  { paths: ["/x/report.txt", "/y/copy of report.txt"], size: 70 },
];

test("directories that share equal files under equal names are candidates", () => {
  assert.deepEqual(
    candidatePairs(groups).map(({ one, other, files, bytes }) => [one, other, files, bytes]),
    [
      ["/a", "/b", 3, 160],
      ["/a/photos", "/b/photos", 3, 160],
      ["/a/photos/2026", "/b/photos/2026", 2, 60],
    ],
  );
});

test("a pair is equal if neither directory has other files, and folds those inside", () => {
  const contents = new Map([
    ["/a", { files: 5, entries: 9 }], // more than the equal files
    ["/b", { files: 3, entries: 6 }],
    ["/a/photos", { files: 3, entries: 5 }],
    ["/b/photos", { files: 3, entries: 5 }],
    ["/a/photos/2026", { files: 2, entries: 3 }],
    ["/b/photos/2026", { files: 2, entries: 3 }],
  ]);
  const pairs = equalPairs(candidatePairs(groups), (path) => contents.get(path));
  assert.deepEqual(
    pairs.map(({ one, other }) => [one, other]),
    [["/a/photos", "/b/photos"]],
  );
});

test("a pair explains the copies that are in it, and no others", () => {
  const pairs = [{ one: "/a/photos", other: "/b/photos", files: 3, bytes: 160 }];
  assert.ok(explained(groups[0]!.paths, pairs));
  assert.ok(!explained(groups[2]!.paths, pairs), "a third copy is elsewhere");
  assert.ok(!explained(["/a/photos2/x", "/b/photos/x"], pairs));
});
