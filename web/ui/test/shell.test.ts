import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { decodePath, encodePath } from "../src/data/path";
import { shellWord } from "../src/data/shell";

test("plain paths stay as they are", () => {
  assert.equal(shellWord("/srv/a-b_c.d"), "/srv/a-b_c.d");
});

test("other paths are quoted", () => {
  assert.equal(shellWord("/srv/a%20b"), "'/srv/a b'");
  assert.equal(shellWord("/srv/%24%28rm%29"), "'/srv/$(rm)'");
  assert.equal(shellWord("/srv/it%27s"), "$'/srv/it\\'s'");
  assert.equal(shellWord("/srv/a%FF1%0A"), "$'/srv/a\\3771\\012'");
});

test("a word that begins with a dash is no option", () => {
  assert.equal(shellWord("-rf"), "./-rf");
});

test("a path of a million bytes is a word", () => {
  const path = "/directory".repeat(100_000);
  assert.equal(shellWord(path), path);
});

test("bash takes every byte literally", (t) => {
  const all = Uint8Array.from({ length: 255 }, (_, at) => at + 1);
  const path = encodePath(all);
  const result = spawnSync("bash", ["-c", `printf %s ${shellWord(path)}`]);
  if (result.error) {
    t.skip("there is no bash");
    return;
  }
  // Without the characters of a path, an escape in the middle of the word could be misread.
  assert.deepEqual(new Uint8Array(result.stdout), decodePath(path));
});
