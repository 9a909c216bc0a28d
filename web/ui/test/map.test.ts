import assert from "node:assert/strict";
import { test } from "node:test";

import { type Box, boxAt, chainEnds, layOut, neighbour, type Rect } from "../src/map/layout";
import { between, carried, morphOf } from "../src/map/morph";
import type { TreeNode } from "../src/net/api";

const facts = { modified: 0, newest: 0, uid: 0, owner: null, mode: 0, flags: [] };

function leaf(name: string, bytes: number): TreeNode {
  return { ...facts, name, kind: "file", bytes };
}

function directory(name: string, children: TreeNode[], rest = { entries: 0, bytes: 0 }): TreeNode {
  const bytes = children.reduce((sum, child) => sum + child.bytes, rest.bytes);
  return { ...facts, name, kind: "directory", bytes, children, rest };
}

const tree = directory("srv", [
  directory("big", [leaf("one", 500), leaf("two", 300)], { entries: 9, bytes: 100 }),
  directory("small", [leaf("three", 60)]),
  leaf("file", 40),
]);
const scene = layOut(tree, "/srv", 400, 300);
const box = (path: string): Box => scene.boxes[scene.places.get(path)!]!;
const areaOf = (rect: Rect) => (rect.x1 - rect.x0) * (rect.y1 - rect.y0);

test("boxes are inside the box of their directory, which precedes them", () => {
  assert.deepEqual(
    scene.boxes.map(({ key }) => key),
    [
      "/srv",
      "/srv/big",
      "/srv/big/one",
      "/srv/big/two",
      "/srv/big//",
      "/srv/small",
      "/srv/small/three",
      "/srv/file",
    ],
  );
  scene.boxes.forEach(({ x0, y0, x1, y1, parent, depth }, at) => {
    if (parent < 0) return;
    assert.ok(parent < at);
    const around = scene.boxes[parent]!;
    assert.equal(depth, around.depth + 1);
    assert.ok(
      x0 >= around.x0 && y0 >= around.y0 + around.header && x1 <= around.x1 && y1 <= around.y1,
    );
  });
});

test("boxes of one directory do not overlap, and their areas match their bytes", () => {
  for (const one of scene.boxes) {
    for (const other of scene.boxes) {
      if (one === other || one.parent !== other.parent) continue;
      const apart =
        one.x1 <= other.x0 + 1e-6 ||
        other.x1 <= one.x0 + 1e-6 ||
        one.y1 <= other.y0 + 1e-6 ||
        other.y1 <= one.y0 + 1e-6;
      assert.ok(apart, `${one.key} and ${other.key}`);
    }
  }
  const ratio = areaOf(box("/srv/big/one")) / areaOf(box("/srv/big/two"));
  assert.ok(Math.abs(ratio - 5 / 3) < 0.1, `${ratio}`);
});

test("a directory without known children is a plain box", () => {
  const closed = layOut({ ...directory("a", [leaf("b", 10)]), children: [] }, "/a", 100, 100);
  assert.equal(closed.boxes.length, 1);
  assert.equal(closed.boxes[0]!.divided, false);
});

test("a chain that is longer than the tree is followed at its end", () => {
  const closed = { ...directory("c", [leaf("x", 50)]), children: undefined };
  const small = { ...directory("c", [leaf("x", 1)]), children: undefined };
  const root = directory("r", [
    directory("a", [directory("b", [closed])]),
    directory("mixed", [closed, leaf("y", 1)]),
    directory("small", [small]),
  ]);
  assert.deepEqual(
    chainEnds(root, "/r", 0.1).map(({ path }) => path),
    ["/r/a/b/c"],
  );
});

test("a directory that is not divided has the class of its largest file, or of those around it", () => {
  const closed = (name: string, largest?: string): TreeNode => {
    const rest = { entries: 5, bytes: 300 };
    const node = { ...directory(name, [], rest), children: undefined };
    return largest ? { ...node, largest_file: { name: largest, mode: 0o644 } } : node;
  };
  const root = directory("r", [closed("films", "a.mkv"), closed("links"), leaf("big.iso", 900)]);
  const boxes = layOut(root, "/r", 300, 300);
  const classOf = (path: string) => boxes.boxes[boxes.places.get(path)!]!.place.fileClass;
  assert.equal(classOf("/r/films"), "video");
  assert.equal(classOf("/r/links"), "archive");
});

test("the rest of a directory is a box with its bytes", () => {
  assert.equal(box("/srv/big//").bytes, 100);
  assert.deepEqual(box("/srv/big//").rest, { entries: 9, bytes: 100 });
  assert.equal(box("/srv/big//").path, "/srv/big");
});

test("entries too small to be visible are omitted", () => {
  const many = Array.from({ length: 50 }, (_, at) => leaf(`f${at}`, 1));
  const crowded = layOut(directory("d", [leaf("huge", 1e9), ...many]), "/d", 100, 100);
  assert.deepEqual(
    crowded.boxes.map(({ key }) => key),
    ["/d", "/d/huge"],
  );
});

test("headers below each other leave most of the height to what they name", () => {
  let nested = directory("d9", [leaf("x", 1000), leaf("y", 500)]);
  for (let level = 8; level > 0; --level)
    nested = directory(`d${level}`, [nested, leaf("small", 20)]);
  const { boxes } = layOut(directory("top", [nested]), "/top", 200, 200);
  const headers = boxes.reduce((sum, { header }) => sum + header, 0);
  assert.ok(36 <= headers && headers <= 100, `${headers} pixels`);
});

test("a deep tree is laid out", () => {
  let deep = leaf("x", 1000);
  for (let level = 0; level < 3000; ++level) deep = directory("d", [deep]);
  assert.ok(layOut(deep, "/d", 500, 500).boxes.length > 1);
});

test("an empty directory is one box", () => {
  assert.equal(layOut(directory("d", []), "/d", 100, 100).boxes.length, 1);
  assert.equal(layOut(directory("d", []), "/d", 0, 0).boxes.length, 1);
});

test("the innermost box at a point is found", () => {
  const { x0, y0, x1, y1 } = box("/srv/big/one");
  assert.equal(boxAt(scene, (x0 + x1) / 2, (y0 + y1) / 2), scene.places.get("/srv/big/one"));
  assert.equal(
    boxAt(scene, box("/srv/big").x0 + 3, box("/srv/big").y0 + 3),
    scene.places.get("/srv/big"),
  );
  assert.equal(boxAt(scene, 500, 10), -1);
});

test("arrows lead to the neighbour in their direction, and back", () => {
  const grid = layOut(
    directory(
      "g",
      ["a", "b", "c", "d"].map((name) => leaf(name, 100)),
    ),
    "/g",
    200,
    200,
  );
  const at = (name: string) => grid.places.get(`/g/${name}`)!;
  for (const from of ["a", "b", "c", "d"].map(at)) {
    for (const [there, back] of [
      ["right", "left"],
      ["down", "up"],
    ] as const) {
      const next = neighbour(grid, from, there);
      if (next >= 0) assert.equal(neighbour(grid, next, back), from);
    }
  }
  const reached = new Set([at("a")]);
  for (const from of reached) {
    for (const direction of ["left", "right", "up", "down"] as const) {
      const next = neighbour(grid, from, direction);
      if (next >= 0) reached.add(next);
    }
  }
  assert.equal(reached.size, 4);
});

const rect = (x0: number, y0: number, x1: number, y1: number): Rect => ({ x0, y0, x1, y1 });

test("a rectangle moves along with another", () => {
  assert.deepEqual(
    carried(rect(5, 5, 10, 10), rect(0, 0, 10, 10), rect(100, 0, 120, 40)),
    rect(110, 20, 120, 40),
  );
  assert.deepEqual(between(rect(0, 0, 10, 10), rect(10, 20, 30, 40), 0.5), rect(5, 10, 20, 25));
});

test("zooming in grows the directory from its box and moves the others out of view", () => {
  const next = layOut(tree.children![0]!, "/srv/big", 400, 300);
  const morph = morphOf(scene, (at) => scene.boxes[at]!, next);
  const { from, to } = morph.coming[0]!;
  const plain = ({ x0, y0, x1, y1 }: Rect) => rect(x0, y0, x1, y1);
  assert.deepEqual(plain(from), plain(box("/srv/big")));
  assert.deepEqual(plain(to), rect(0, 0, 400, 300));
  assert.ok(morph.coming.every(({ fade }) => fade === "none"));
  const file = morph.leaving.find(({ at }) => scene.boxes[at]!.key === "/srv/file")!;
  assert.ok(file.to.x0 >= 399 || file.to.y0 >= 299, "it ends outside");
});

test("zooming out shrinks everything into its box", () => {
  const inner = layOut(tree.children![0]!, "/srv/big", 400, 300);
  const morph = morphOf(inner, (at) => inner.boxes[at]!, scene);
  const moving = (key: string) => morph.coming[scene.places.get(key)!]!;
  assert.deepEqual(moving("/srv/big").from, inner.boxes[0]);
  assert.ok(moving("/srv").from.x1 > 400);
  assert.equal(moving("/srv/file").fade, "in");
});

test("a new box grows out of its directory", () => {
  const grown = directory("srv", [
    directory("big", [leaf("one", 500), leaf("two", 300), leaf("new", 200)]),
    directory("small", [leaf("three", 60)]),
  ]);
  const next = layOut(grown, "/srv", 400, 300);
  const morph = morphOf(scene, (at) => scene.boxes[at]!, next);
  const { from, fade } = morph.coming[next.places.get("/srv/big/new")!]!;
  const around = box("/srv/big");
  assert.equal(fade, "in");
  assert.ok(
    from.x0 >= around.x0 - 1 &&
      from.x1 <= around.x1 + 1 &&
      from.y0 >= around.y0 - 1 &&
      from.y1 <= around.y1 + 1,
  );
  const leaving = morph.leaving.map(({ at }) => scene.boxes[at]!.key);
  assert.deepEqual(leaving, ["/srv/big//", "/srv/file"]);
});

test("scenes without a common box fade into each other", () => {
  const other = layOut(directory("etc", [leaf("x", 1)]), "/etc", 400, 300);
  const morph = morphOf(scene, (at) => scene.boxes[at]!, other);
  assert.ok(morph.coming.every(({ fade, from, to }) => fade === "in" && from === to));
  assert.equal(morph.leaving.length, scene.boxes.length);
});

test("the first scene appears without a morph", () => {
  const morph = morphOf(undefined, () => rect(0, 0, 0, 0), scene);
  assert.equal(morph.leaving.length, 0);
  assert.ok(morph.coming.every(({ fade, from, to }) => fade === "none" && from === to));
});
