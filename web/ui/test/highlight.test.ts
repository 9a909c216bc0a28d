import assert from "node:assert/strict";
import { test } from "node:test";

import { fulfils, highlightText, needsPaths, parseHighlight } from "../src/state/highlight";

const now = 1_000_000_000;
const day = 86400;
const file = (name: string, more = {}) => ({
  name,
  kind: "file",
  modified: now,
  uid: 0,
  mode: 0o100644,
  ...more,
});

test("a highlight survives the round trip through its text", () => {
  for (const highlight of [
    { fileClass: "video" },
    { extension: "" },
    { extension: "a:b,c" },
    { owner: 1000, age: 3 },
    { group: "/srv/a%2Cb%3Ac" },
  ] as const) {
    assert.deepEqual(parseHighlight(highlightText(highlight)), highlight);
  }
});

test("a text without a condition is no highlight", () => {
  for (const text of ["", "type:x", "age:-1", "owner:x", "what"])
    assert.equal(parseHighlight(text), undefined, text);
});

test("all conditions must hold", () => {
  const highlight = { owner: 1000, age: 8 };
  const old = now - 3000 * day;
  assert.ok(fulfils(highlight, file("a", { uid: 1000, modified: old }), now));
  assert.ok(!fulfils(highlight, file("a", { uid: 0, modified: old }), now));
  assert.ok(!fulfils(highlight, file("a", { uid: 1000 }), now));
});

test("extensions ignore case; none and numbers are extensions of their own", () => {
  assert.ok(fulfils({ extension: "iso" }, file("A.ISO"), now));
  assert.ok(fulfils({ extension: "" }, file("README"), now));
  assert.ok(fulfils({ extension: "" }, file(".profile"), now));
  assert.ok(!fulfils({ extension: "" }, file("a.b"), now));
  assert.ok(fulfils({ extension: "#" }, file("kubectl.1.33"), now));
  assert.ok(!fulfils({ extension: "#" }, file("a.7z"), now));
});

test("a directory is as old as the newest entry in it", () => {
  const directory = file("d", { kind: "directory", modified: now - 3000 * day, newest: now });
  assert.ok(fulfils({ age: 0 }, directory, now));
  assert.ok(!fulfils({ age: 8 }, directory, now));
  assert.ok(!fulfils({ extension: "" }, directory, now), "directories have no type");
});

test("only the server knows all files of an extension or a group", () => {
  assert.ok(needsPaths({ extension: "gz" }));
  assert.ok(needsPaths({ group: "/srv/a" }));
  assert.ok(!needsPaths({ extension: "" }), "no pattern finds them");
  assert.ok(!needsPaths({ fileClass: "code" }));
});
