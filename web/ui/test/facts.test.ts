import assert from "node:assert/strict";
import { test } from "node:test";

import { factsAbout } from "../src/data/facts";
import type { Entry } from "../src/net/api";

const now = 1_767_225_600;

const entry: Entry = {
  name: "lib",
  kind: "directory",
  disk_bytes: 8192,
  apparent_bytes: 4196,
  exclusive_bytes: 4096,
  entries: 3,
  files: 2,
  dirs: 1,
  modified: now - 86400,
  uid: 0,
  owner: "root",
  gid: 0,
  group: "wheel",
  mode: 0o40755,
  links: 2,
  flags: ["incomplete"],
  children: 3,
};

test("a directory has its sizes, its share, its counts and its newest change", () => {
  const facts = new Map(factsAbout(entry, { ...entry, disk_bytes: 32768 }, now - 3600, now));
  assert.equal(facts.get("On disk"), "≥ 8.0 KiB");
  assert.equal(facts.get("Share of parent"), "25.0%");
  assert.equal(facts.get("Freed if deleted"), "4.0 KiB");
  assert.equal(facts.get("Files"), "2");
  assert.match(facts.get("Newest change")!, /1 hour ago$/);
  assert.equal(facts.get("Owner"), "root, group wheel");
  assert.equal(facts.get("Permissions"), "755");
  assert.ok(!facts.has("Names of the file"));
});

test("what is unknown is left out", () => {
  const unknown = { owner: null, uid: null, group: null, gid: null, mode: null, links: null };
  const facts = factsAbout(
    { ...entry, ...unknown, kind: "file", modified: null, exclusive_bytes: null, flags: [] },
    undefined,
    null,
    now,
  );
  assert.deepEqual(facts, [
    ["On disk", "8.0 KiB"],
    ["Apparent", "4.1 KiB"],
  ]);
});
