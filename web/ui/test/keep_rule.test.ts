import assert from "node:assert/strict";
import { test } from "node:test";

import { candidatePairs, equalPairs } from "../src/data/equal_directories";
import { chosenBy, type Equal, type KeepRule, keepRules, keptOf } from "../src/data/keep_rule";
import { type Path, pathOf } from "../src/data/path";
import { type Plan, plannedBy } from "../src/state/plan";

/** Directories that all have the same two files, in the order of their names' bytes. */
function equalDirectories(...names: string[]): Equal {
  const directories = names.map((name) => pathOf(`/t/${name}`));
  const groups = ["one.jpg", "two.jpg"].map((name) => ({
    paths: directories.map((directory) => `${directory}/${name}`),
    size: 100,
  }));
  const pairs = equalPairs(candidatePairs(groups), () => ({ files: 2, entries: 3 }));
  assert.equal(pairs.length, (names.length * (names.length - 1)) / 2);
  return { groups, pairs };
}

function left({ groups }: Equal, plan: Plan): Path[][] {
  return groups.map(({ paths }) => paths.filter((path) => plannedBy(plan, path) === undefined));
}

function planned(equal: Equal, rule: KeepRule, before: Plan = new Set()): Plan {
  return chosenBy(equal, rule, before).plan();
}

const photos = equalDirectories("photos-2019", "photos-copy", "pics");
const pictures = equalDirectories("Fotos", "Zoo", "Übersicht");

test("a keep rule chooses one of the paths", () => {
  const paths = ["/a/long/way/x", "/b/x", "/c/x"];
  assert.equal(keptOf(paths, "first"), "/a/long/way/x");
  assert.equal(keptOf(paths, "shortest"), "/b/x");
  assert.equal(keptOf(paths, "longest"), "/a/long/way/x");
  assert.equal(keptOf(paths, "last"), "/c/x");
});

test("one of three equal directories stays, and the others are planned as a whole", () => {
  const directories = (equal: Equal, rule: KeepRule) => [...planned(equal, rule)].sort();
  assert.deepEqual(directories(photos, "shortest"), ["/t/photos-2019", "/t/photos-copy"]);
  assert.deepEqual(directories(photos, "longest"), ["/t/photos-copy", "/t/pics"]);
  assert.deepEqual(directories(pictures, "first"), [pathOf("/t/Übersicht"), "/t/Zoo"]);
  assert.deepEqual(directories(pictures, "last"), ["/t/Fotos", "/t/Zoo"]);
});

test("one copy of each group stays, also when the rule changes between two clicks", () => {
  for (const equal of [photos, pictures]) {
    let plan: Plan = new Set();
    for (const [rule] of [...keepRules, ...keepRules]) {
      plan = planned(equal, rule, plan);
      const kept = equal.groups.map(({ paths }) => [keptOf(paths, rule)]);
      assert.deepEqual(left(equal, plan), kept, rule);
    }
  }
});

test("what is planned for another reason stays planned, and its copies do not count", () => {
  const plan = planned(photos, "first", new Set(["/elsewhere"]));
  assert.deepEqual([...plan].sort(), ["/elsewhere", "/t/photos-copy", "/t/pics"]);
  const groups = [{ paths: ["/cache/a", "/home/a"] }, { paths: ["/cache/b", "/cache/c"] }];
  assert.deepEqual([...planned({ groups, pairs: [] }, "first", new Set(["/cache"]))], ["/cache"]);
});

test("a directory with a file that stays is not planned, but the other files in it are", () => {
  const { groups, pairs } = photos;
  const more = [{ paths: [...groups[0]!.paths, "/t/z/one.jpg"] }, groups[1]!];
  const plan = planned({ groups: more, pairs }, "last");
  assert.deepEqual([...plan].sort(), ["/t/photos-2019", "/t/photos-copy", "/t/pics/one.jpg"]);
});

test("of a pair, a directory stays exactly if a file in it does", () => {
  const { keeps } = chosenBy(photos, "shortest", new Set());
  const stay = photos.pairs.flatMap(({ one, other }) => [one, other]).filter(keeps);
  assert.deepEqual(new Set(stay), new Set(["/t/pics"]));
});
