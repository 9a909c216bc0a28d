import assert from "node:assert/strict";
import { test } from "node:test";

import { changedMost, changeLists } from "../src/data/change_lists";
import type { Diff } from "../src/net/api";

type Entries = Diff["moves"];

const entry = (path: string, before: number, after: number): Entries[number] => ({
  path,
  kind: "file",
  before,
  after,
  change: after - before,
});

function diffOf(
  lists: Partial<Record<"changed" | "created" | "removed" | "moves", Entries>>,
  to: string | null = null,
): Diff {
  const all = { changed: [], created: [], removed: [], moves: [], ...lists };
  const { changed, created, removed, moves } = all;
  const counts = {
    dirs: 0,
    changed: changed.length,
    created: created.length,
    removed: removed.length,
    moves: moves.length,
  };
  return { ...all, counts, to: { id: to } } as unknown as Diff;
}

const move = { ...entry("/b/k3", 300, 300), from: "/a/k3" };

test("what changed is listed by what happened, without empty lists", () => {
  const lists = changeLists(
    diffOf({
      created: [entry("/a/new", 0, 480)],
      removed: [entry("/a/k1", 100, 0)],
      moves: [move],
    }),
  );
  assert.deepEqual(
    lists.map(({ title, changes }) => [title, ...changes.map((one) => [one.path, one.bytes])]),
    [
      ["New", ["/a/new", 480]],
      ["Gone", ["/a/k1", -100]],
      ["Moved", ["/b/k3", 300]],
    ],
  );
  assert.equal(lists[2]!.changes[0]!.from, "/a/k3");
});

test("a link shows what the scan has in its directory, and all else in the comparison", () => {
  const changes = {
    changed: [entry("/grew", 10, 20)],
    created: [entry("/new", 0, 30)],
    removed: [entry("/gone", 40, 0)],
    moves: [move],
  };
  const tabs = (to: string | null) =>
    changeLists(diffOf(changes, to)).map((list) => list.changes[0]!.tab);
  assert.deepEqual(tabs(null), ["directory", "directory", "growth", "directory"]);
  assert.deepEqual(tabs("16c0ffee"), Array(4).fill("growth"), "a snapshot is not the scan");
  const { created, changed } = changes;
  assert.equal(changedMost(diffOf({ changed, created }))?.tab, "directory");
  assert.equal(changedMost(diffOf({ changed, created }, "16c0ffee"))?.tab, "growth");
});

test("a list has the first entries, and the number of all", () => {
  const created = Array.from({ length: 9 }, (_, at) => entry(`/${at}`, 0, 9 - at));
  const [list] = changeLists(diffOf({ created }));
  assert.deepEqual([list!.total, list!.changes.length], [9, 5]);
});

test("a name that is not UTF-8 keeps its bytes", () => {
  const created = [{ ...entry("/\ufffd", 0, 1), path_b64: btoa("/\xff") }];
  assert.equal(changeLists(diffOf({ created }))[0]!.changes[0]!.path, "/%FF");
});

test("what changed most is the largest change in either direction, but no move", () => {
  const changed = [entry("/grew", 10, 20)];
  const removed = [entry("/gone", 50, 0)];
  assert.equal(changedMost(diffOf({ changed, removed, moves: [move] }))?.path, "/gone");
  assert.equal(changedMost(diffOf({ changed, moves: [move] }))?.path, "/grew");
  assert.equal(changedMost(diffOf({ moves: [move] })), undefined);
});
