import assert from "node:assert/strict";
import { test } from "node:test";

import { changeColour, changeStep, changeText } from "../src/data/change";
import { compareEntries, comparisonTree, type Listing, worthOpening } from "../src/data/comparison";
import type { Diff, Entry } from "../src/net/api";

function entry(name: string, bytes: number, kind: Entry["kind"] = "file"): Entry {
  const sizes = { disk_bytes: bytes, apparent_bytes: bytes, exclusive_bytes: null };
  const facts = { uid: 0, owner: null, gid: 0, group: null, mode: 0, links: 1, modified: 0 };
  const counts = { entries: 1, files: 1, dirs: 0, children: 0 };
  return { name, kind, ...sizes, ...counts, ...facts, flags: [] };
}

const listing = (...children: Entry[]): Listing => ({ total: children.length, children });

test("entries are compared by name, the largest change first", () => {
  const rows = compareEntries(
    listing(entry("same", 100), entry("grew", 100), entry("gone", 70)),
    listing(entry("grew", 500), entry("same", 100), entry("new", 90)),
    "disk",
  );
  assert.deepEqual(
    rows.map(({ name, before, after, state }) => [name, before, after, state]),
    [
      ["grew", 100, 500, "kept"],
      ["new", 0, 90, "new"],
      ["gone", 70, 0, "gone"],
      ["same", 100, 100, "kept"],
    ],
  );
});

test("an entry is not called new or gone if the other listing is incomplete", () => {
  const before = { total: 5, children: [entry("a", 10)] };
  const rows = compareEntries(before, listing(entry("a", 10), entry("b", 5)), "disk");
  assert.deepEqual(
    rows.map(({ name }) => name),
    ["a"],
  );
});

test("the map of a comparison has the larger of both sizes, and nested changes", () => {
  const rows = compareEntries(
    listing(entry("d", 100, "directory"), entry("gone", 40)),
    listing(entry("d", 300, "directory")),
    "disk",
  );
  const balance = { created: 0, grown: 0, removed: 0, shrunk: 0, moved_in: 0, moved_out: 0 };
  const dirs: Diff["dirs"] = [
    {
      path: "/srv/d/e",
      state: "kept",
      before: 20,
      after: 220,
      change: 200,
      ...balance,
      reattributed: 0,
    },
    {
      path: "/srv/d",
      state: "kept",
      before: 100,
      after: 300,
      change: 200,
      ...balance,
      reattributed: 0,
    },
  ];
  const root = comparisonTree("/srv", rows, dirs);
  assert.equal(root.bytes, 340);
  assert.deepEqual(root.change, { before: 140, after: 300 });
  const [d, gone] = root.children!;
  assert.equal(d!.bytes, 300);
  assert.deepEqual(
    d!.children!.map(({ name, bytes }) => [name, bytes]),
    [["e", 220]],
  );
  assert.deepEqual(d!.rest, { entries: 1, bytes: 80 });
  assert.deepEqual([gone!.name, gone!.bytes, gone!.change], ["gone", 40, { before: 40, after: 0 }]);
});

test("the map of a comparison opens the largest directories", () => {
  const rows = compareEntries(
    listing(entry("d", 300, "directory"), entry("small", 1, "directory"), entry("file", 90)),
    listing(entry("d", 500, "directory"), entry("small", 1, "directory"), entry("file", 90)),
    "disk",
  );
  assert.deepEqual(
    worthOpening(rows).map(({ name }) => name),
    ["d"],
  );
  const inner = compareEntries(listing(entry("e", 300)), listing(entry("e", 480)), "disk");
  const [d] = comparisonTree("/srv", rows, [], new Map([["/srv/d", inner]])).children!;
  assert.deepEqual(
    d!.children!.map(({ name, change }) => [name, change]),
    [["e", { before: 300, after: 480 }]],
  );
  assert.deepEqual(d!.rest, { entries: 1, bytes: 20 });
});

test("changes have seven steps, from less than half to more than double", () => {
  const steps = [
    [100, 0],
    [100, 40],
    [100, 80],
    [100, 95],
    [100, 100],
    [100, 105],
    [100, 130],
    [100, 210],
    [0, 1],
  ].map(([before, after]) => changeStep(before!, after!));
  assert.deepEqual(steps, [-3, -3, -2, -1, 0, 1, 2, 3, 3]);
  assert.notEqual(changeColour(1, 2, "light"), changeColour(2, 1, "light"));
});

test("changes have a sign", () => {
  assert.equal(changeText(1536), "+1.5 KiB");
  assert.equal(changeText(-1536), "−1.5 KiB");
  assert.equal(changeText(0), "0 B");
});
