import assert from "node:assert/strict";
import { test } from "node:test";

import type { PlanSums } from "../src/net/api";
import { plannedBy, withoutPath, withPaths } from "../src/state/plan";
import { sumsText } from "../src/view/plan_bar";
import { commandsFor, hintText } from "../src/view/plan_dialog";

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

test("the bar says that a plan frees nothing before the quarantine is emptied", () => {
  const mib = 1024 * 1024;
  const sums = { used_bytes: 12 * mib, freed_bytes: 12 * mib, unknown: [] } as unknown as PlanSums;
  assert.equal(
    sumsText(new Set(["/srv/a"]), sums),
    "1 item · 12 MiB · frees 12 MiB once the quarantine is emptied",
  );
});

test("a plan ends with the commands that preview it, run it, and empty the quarantine", () => {
  const commands = commandsFor("quarantine").map(([, command]) => command);
  assert.deepEqual(commands, [
    "fathom apply fathom-plan.jsonl",
    "fathom apply fathom-plan.jsonl --execute",
    "fathom clean --purge --execute",
  ]);
  assert.equal(commandsFor("delete").length, 2);
});

test("the commands are not shown without saying that they need the file", () => {
  assert.match(hintText(false, false), /Download the plan, then run/);
  assert.match(hintText(false, true), /or download the plan, then run/);
  assert.match(hintText(true, false), /^Saved fathom-plan.jsonl/);
});
