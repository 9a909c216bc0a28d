import assert from "node:assert/strict";
import { test } from "node:test";

import {
  bytesOf,
  decodePath,
  encodePath,
  isWithin,
  joinPath,
  lastName,
  partBelow,
  pathOf,
  queryOf,
  Roots,
} from "../src/data/path";

const bytes = (...values: number[]) => Uint8Array.from(values);

test("a path is its bytes, percent-encoded except for slashes", () => {
  assert.equal(encodePath(bytes(0x2f, 0x61, 0xff, 0x20, 0x25, 0x26, 0x23)), "/a%FF%20%25%26%23");
  assert.equal(pathOf("/usr/lib-1.2_x~"), "/usr/lib-1.2_x~");
  assert.equal(pathOf("é"), "%C3%A9");
});

test("a name that is not UTF-8 is taken from its base64", () => {
  assert.deepEqual(bytesOf("a\ufffd", "Yf8="), bytes(0x61, 0xff));
  assert.equal(pathOf("a\ufffd", "Yf8="), "a%FF");
});

test("every byte survives encoding", () => {
  const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  assert.deepEqual(decodePath(encodePath(all)), all);
});

test("other encodings become canonical", () => {
  const again = (text: string) => encodePath(decodePath(text));
  assert.equal(again("/%75sr/é b"), "/usr/%C3%A9%20b");
  assert.equal(again("100%"), "100%25");
  assert.equal(again("%zz%4"), "%25zz%254");
  assert.equal(again("😀"), "%F0%9F%98%80");
});

test("slashes are encoded in queries", () => {
  assert.equal(queryOf("/srv/a%FFb"), "%2Fsrv%2Fa%FFb");
});

test("a name is joined to its directory", () => {
  assert.equal(joinPath("/srv", "a"), "/srv/a");
  assert.equal(joinPath("/", "usr"), "/usr");
  assert.equal(joinPath("", "/srv"), "/srv");
  assert.equal(lastName("/srv/a"), "a");
});

test("a path is within a directory only at a slash", () => {
  assert.ok(isWithin("/srv/a", "/srv"));
  assert.ok(isWithin("/srv", "/srv"));
  assert.ok(isWithin("/srv", "/"));
  assert.ok(isWithin("/srv", ""));
  assert.ok(!isWithin("/srvx", "/srv"));
});

test("the trail of a path begins with its root", () => {
  const roots = new Roots(["/srv/data"]);
  assert.equal(roots.top, "/srv/data");
  assert.deepEqual(roots.trailOf("/srv/data/a/b"), ["/srv/data", "/srv/data/a", "/srv/data/a/b"]);
  assert.deepEqual(roots.trailOf("/srv/data"), ["/srv/data"]);
  assert.equal(roots.parentOf("/srv/data/a"), "/srv/data");
  assert.equal(roots.parentOf("/srv/data"), undefined);
});

test("the trail from the root of the filesystem, and from here", () => {
  assert.deepEqual(new Roots(["/"]).trailOf("/usr/lib"), ["/", "/usr", "/usr/lib"]);
  assert.deepEqual(new Roots(["."]).trailOf("./a"), [".", "./a"]);
});

test("several roots have a common place above them", () => {
  const roots = new Roots(["/a", "/a/b", "/c"]);
  assert.equal(roots.top, "");
  assert.deepEqual(roots.trailOf("/c/x"), ["", "/c", "/c/x"]);
  assert.equal(roots.rootOf("/a/b/x"), "/a/b");
  assert.equal(roots.parentOf("/c"), "");
  assert.equal(roots.parentOf(""), undefined);
});

test("the child of a directory toward a path is found", () => {
  const roots = new Roots(["/srv"]);
  assert.equal(roots.childToward("/srv", "/srv/a/b/c"), "/srv/a");
  assert.equal(roots.childToward("/srv/x", "/srv/a"), undefined);
  assert.equal(roots.childToward("/srv", "/srv"), undefined);
});

test("a path is shown from the directory that is shown, if it is below it", () => {
  assert.equal(partBelow("/srv/lib/a.so", "/srv"), "lib/a.so");
  assert.equal(partBelow("/srv/lib", "/"), "srv/lib");
  assert.equal(partBelow("/srv", "/srv"), "/srv");
  assert.equal(partBelow("/srvlib/a.so", "/srv"), "/srvlib/a.so");
  assert.equal(partBelow("/srv/lib", ""), "/srv/lib");
});
