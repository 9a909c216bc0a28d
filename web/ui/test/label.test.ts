import assert from "node:assert/strict";
import { test } from "node:test";

import { charactersOf, labelOf, piecesOf, shown, textOf } from "../src/data/label";
import { encodePath } from "../src/data/path";

const text = (name: string) => textOf(piecesOf(new TextEncoder().encode(name)));
const textOfBytes = (...bytes: number[]) => shown(encodePath(Uint8Array.from(bytes)));

test("plain names stay unchanged", () => {
  for (const name of [
    "a.txt",
    "<img onerror=alert(1)>",
    "naïve",
    "日本語",
    "👩‍👩‍👧",
    "שלום",
    "a b",
  ]) {
    assert.equal(text(name), name);
  }
});

test("control characters are escaped as in C", () => {
  assert.equal(text("a\nb\tc\rd\x1b[31m\x7f"), "a\\nb\\tc\\rd\\x1b[31m\\x7f");
  assert.equal(text("\u0085"), "\\u0085");
});

test("the backslash is escaped, so that no name looks like an escape", () => {
  assert.equal(text("a\\nb"), "a\\\\nb");
});

test("characters that reverse the direction or have no width are escaped", () => {
  assert.equal(text("\u202Egpj.exe"), "\\u202egpj.exe");
  assert.equal(
    text("a\u2066b\u200Bc\uFEFFd\u2060e\u00ADf"),
    "a\\u2066b\\u200bc\\ufeffd\\u2060e\\u00adf",
  );
  assert.equal(text("\u3164"), "\\u3164");
  assert.equal(text("\u{E0041}"), "\\U000e0041");
});

test("joiners stay where letters need them, and nowhere else", () => {
  assert.equal(text("می\u200cخواهم"), "می\u200cخواهم");
  assert.equal(text("pay\u200dpal"), "pay\\u200dpal");
  assert.equal(text("❤\uFE0F"), "❤\uFE0F");
  assert.equal(text("a\uFE0Fb"), "a\\ufe0fb");
});

test("bytes that are not UTF-8 are escaped one by one", () => {
  assert.equal(textOfBytes(0x61, 0xff, 0x62), "a\\xffb");
  assert.equal(textOfBytes(0xc3), "\\xc3"); // truncated
  assert.equal(textOfBytes(0xc0, 0x80), "\\xc0\\x80"); // overlong
  assert.equal(textOfBytes(0xe0, 0x80, 0x80), "\\xe0\\x80\\x80");
  assert.equal(textOfBytes(0xed, 0xa0, 0x80), "\\xed\\xa0\\x80"); // half a surrogate pair
  assert.equal(textOfBytes(0xf4, 0x90, 0x80, 0x80), "\\xf4\\x90\\x80\\x80"); // beyond Unicode
});

test("leading and trailing blanks are escaped", () => {
  assert.equal(text(" a b "), "\\x20a b\\x20");
  assert.equal(text("a/ b"), "a/\\x20b");
  assert.equal(text("\u00a0a"), "\\u00a0a");
});

test("escapes are separate pieces", () => {
  assert.deepEqual(labelOf("a%0Ab%5Cn"), [
    { text: "a", escaped: false },
    { text: "\\n", escaped: true },
    { text: "b", escaped: false },
    { text: "\\\\", escaped: true },
    { text: "n", escaped: false },
  ]);
});

test("characters are never cut", () => {
  const characters = charactersOf(labelOf("%0A%FFe%CC%81%F3%A0%81%81%5C"));
  assert.deepEqual(
    characters.map((character) => character.text),
    ["\\n", "\\xff", "e\u0301", "\\U000e0041", "\\\\"],
  );
});
