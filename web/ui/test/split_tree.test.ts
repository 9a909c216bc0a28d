import assert from "node:assert/strict";
import { test } from "node:test";

import type { Rect } from "../src/map/layout";
import { aspectOf, SplitTree, type Weighted } from "../src/map/split_tree";

const around: Rect = { x0: 0, y0: 0, x1: 900, y1: 620 };

// Numbers that look random and are the same each time.
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * The growth of a directory while it is scanned: entries appear one after another, and each grows
 * to its size in a few steps, as directories do that several threads read.
 */
function recordedGrowth(entries: number, pictures: number): Weighted[][] {
  const next = numbers(42);
  const all = Array.from({ length: entries }, (_, at) => ({
    key: `entry-${at}`,
    size: 1000 * (next() + 0.02) ** -1.5,
    from: next() * 0.7,
  }));
  return Array.from({ length: pictures }, (_, picture) => {
    const time = (picture + 1) / pictures;
    return all
      .filter(({ from }) => from < time)
      .map(({ key, size, from }) => ({ key, weight: size * Math.min(1, (time - from) * 4 + 0.05) }))
      .sort((a, b) => b.weight - a.weight);
  });
}

function areaOf({ x0, y0, x1, y1 }: Rect): number {
  return (x1 - x0) * (y1 - y0);
}

const diagonal = Math.hypot(900, 620);

// The mean move of the middles of boxes that are in both pictures, as a share of the diagonal.
function meanMove(pictures: readonly ReadonlyMap<string, Rect>[]): number {
  let sum = 0;
  let count = 0;
  pictures.slice(1).forEach((now, at) => {
    for (const [key, rect] of now) {
      const before = pictures[at]!.get(key);
      if (!before || areaOf(rect) < 400) continue;
      const x = rect.x0 + rect.x1 - before.x0 - before.x1;
      const y = rect.y0 + rect.y1 - before.y0 - before.y1;
      sum += Math.hypot(x, y) / 2 / diagonal;
      ++count;
    }
  });
  return sum / count;
}

function meanAspect(picture: ReadonlyMap<string, Rect>): number {
  const shown = [...picture.values()].filter((rect) => areaOf(rect) >= 400);
  return shown.reduce((sum, rect) => sum + aspectOf(rect), 0) / shown.length;
}

test("areas are in proportion to the weights, and fill the rectangle", () => {
  const entries = recordedGrowth(40, 10)[9]!;
  const total = entries.reduce((sum, { weight }) => sum + weight, 0);
  const places = new SplitTree().place(entries, around, 2);
  assert.equal(places.size, entries.length);
  for (const { key, weight } of entries) {
    const share = areaOf(places.get(key)!) / areaOf(around);
    assert.ok(Math.abs(share - weight / total) < 1e-9, key);
  }
});

test("boxes do not overlap, also after entries came and went", () => {
  const pictures = recordedGrowth(40, 10);
  const tree = new SplitTree();
  for (const entries of pictures) tree.place(entries, around, 2);
  const some = pictures[9]!.filter((_, at) => at % 3 !== 0);
  const rects = [...tree.place(some, around, 2).values()];
  assert.equal(rects.length, some.length);
  rects.forEach((one, at) => {
    for (const other of rects.slice(at + 1)) {
      const width = Math.min(one.x1, other.x1) - Math.max(one.x0, other.x0);
      const height = Math.min(one.y1, other.y1) - Math.max(one.y0, other.y0);
      assert.ok(width < 1e-6 || height < 1e-6);
    }
  });
});

test("boxes move little more than half as much as with a new layout for each picture", () => {
  const growth = recordedGrowth(60, 30);
  const kept = new SplitTree();
  const stable = growth.map((entries) => kept.place(entries, around, 2));
  const anew = growth.map((entries) => new SplitTree().place(entries, around, 2));
  const [move, moveAnew] = [meanMove(stable), meanMove(anew)];
  assert.ok(
    move < 0.55 * moveAnew,
    `${(100 * move).toFixed(1)} % and ${(100 * moveAnew).toFixed(1)} %`,
  );
  assert.ok(move < 0.045, `${(100 * move).toFixed(1)} % of the diagonal`);
});

test("boxes stay squarish while they rest", () => {
  const tree = new SplitTree();
  for (const entries of recordedGrowth(60, 30)) {
    const aspect = meanAspect(tree.place(entries, around, 2));
    assert.ok(aspect < 2.1, `${aspect}`);
  }
});

test("the same entries stay where they are, in any order", () => {
  const entries = recordedGrowth(30, 5)[4]!;
  const tree = new SplitTree();
  const first = tree.place(entries, around, 2);
  assert.deepEqual(new Map(tree.place([...entries].reverse(), around, 2)), new Map(first));
});

test("an entry that comes changes no box but by its share", () => {
  const entries = recordedGrowth(30, 5)[4]!;
  const tree = new SplitTree();
  const before = tree.place(entries, around, 10);
  const small = { key: "new", weight: entries[entries.length - 1]!.weight };
  const after = tree.place([...entries, small], around, 10);
  assert.ok(meanMove([before, after]) < 0.01);
});

test("a directory that is replaced by another one is laid out anew", () => {
  const tree = new SplitTree();
  tree.place(recordedGrowth(30, 5)[4]!, around, 2);
  const others = recordedGrowth(30, 5)[4]!.map(({ key, weight }) => ({ key: `x${key}`, weight }));
  const places = tree.place(others, around, 2);
  assert.deepEqual(new Map(places), new Map(new SplitTree().place(others, around, 2)));
});

test("a directory with a hundred thousand entries is laid out", () => {
  const next = numbers(7);
  const entries = Array.from({ length: 100_000 }, (_, at) => ({
    key: `${at}`,
    weight: next() + 1,
  }));
  assert.equal(new SplitTree().place(entries, around, 2).size, 100_000);
});

test("no entries, and one entry, are laid out", () => {
  const tree = new SplitTree();
  assert.equal(tree.place([], around, 2).size, 0);
  assert.deepEqual(tree.place([{ key: "a", weight: 3 }], around, 2).get("a"), around);
  assert.equal(tree.place([], around, 2).size, 0);
});
