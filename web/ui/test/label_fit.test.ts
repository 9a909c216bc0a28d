import assert from "node:assert/strict";
import { test } from "node:test";

import { labelOf, textOf } from "../src/data/label";
import { fitted } from "../src/map/label_fit";

// Every character is ten pixels wide.
const widthOf = (text: string) => 10 * [...text].length;
const label = (name: string, room: number) => {
  const line = fitted(labelOf(name), room, widthOf);
  return line && textOf(line.pieces);
};

test("a name that fits is shown whole", () => {
  assert.equal(label("report.pdf", 100), "report.pdf");
});

test("a longer name is cut at the end, and keeps its extension", () => {
  assert.equal(label("linux-source-6.1.tar.xz", 150), "linux-source…xz");
  assert.equal(label("anthoscli", 70), "anthos…");
});

test("the extension goes before the beginning of the name does", () => {
  assert.equal(label("holiday.backup", 70), "holida…");
  assert.equal(label("libLLVM-14.so", 80), "libLL…so");
  assert.equal(label("libLLVM-14.so", 70), "libLLV…");
});

test("less than five characters of a name are not shown", () => {
  assert.equal(label("libLLVM-14.so", 50), undefined);
  assert.equal(label("kubectl.1.33", 40), undefined);
  assert.equal(label("f", 20), undefined, "in a box in which no other name would fit");
  assert.equal(label("f", 50), "f");
});

test("a number or a single letter after the last dot is no extension", () => {
  assert.equal(label("libLLVM-15.so.1", 100), "libLLVM-1…");
  assert.equal(label("libopenblas.a", 100), "libopenbl…");
});

test("an escape is never cut in two", () => {
  assert.equal(label("abcdef%0Aghijklmno", 90), "abcdef\\n…");
  assert.equal(label("abcdef%0Aghijklmno", 80), "abcdef…");
});

test("what follows the last dot is no extension if it is long", () => {
  assert.equal(label("com.example.application", 120), "com.example…");
});
