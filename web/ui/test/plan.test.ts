import assert from "node:assert/strict";
import { test } from "node:test";

import { plannedBy, withoutPath, withPaths } from "../src/state/plan";

test("entries inside a planned one fold into it", () => {
  const plan = withPaths(new Set(), ["/srv/a/b", "/srv/a/c", "/srv/ab"]);
  assert.deepEqual([...withPaths(plan, ["/srv/a"])], ["/srv/ab", "/srv/a"]);
  assert.deepEqual([...withPaths(new Set(["/srv/a"]), ["/srv/a/b"])], ["/srv/a"]);
});

test("an entry is planned by itself or by a directory around it", () => {
  const plan = new Set(["/srv/a"]);
  assert.equal(plannedBy(plan, "/srv/a"), "/srv/a");
  assert.equal(plannedBy(plan, "/srv/a/b/c"), "/srv/a");
  assert.equal(plannedBy(plan, "/srv/ab"), undefined);
  assert.equal(plannedBy(plan, "/srv"), undefined);
});

test("an entry can be taken out", () => {
  assert.deepEqual([...withoutPath(new Set(["/a", "/b"]), "/a")], ["/b"]);
});
