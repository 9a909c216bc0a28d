import assert from "node:assert/strict";
import { test } from "node:test";

import { bytesText, counted, durationText, grouped, shareText } from "../src/data/number";

test("bytes have one decimal below ten units, and are rounded once", () => {
  const cases: [number, string][] = [
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [1536, "1.5 KiB"],
    [10137, "9.9 KiB"],
    [10189, "10 KiB"], // 9.95
    [1048064, "1.0 MiB"], // 1023.5 KiB
    [1047552, "1023 KiB"],
    [5 * 1024 ** 4, "5.0 TiB"],
    [2 ** 64, "16 EiB"],
  ];
  for (const [bytes, text] of cases) assert.equal(bytesText(bytes), text);
});

test("the text of more bytes never means fewer", () => {
  const factors: Record<string, number> = { B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };
  let before = 0;
  for (let bytes = 1; bytes < 2 ** 40; bytes = Math.ceil(bytes * 1.013)) {
    const [number, unit] = bytesText(bytes).split(" ");
    const meaning = Number(number) * (factors[unit!] ?? 0);
    if (!(unit! in factors)) break;
    assert.ok(meaning >= before, `${bytes} is ${number} ${unit}`);
    before = meaning;
  }
});

test("digits are grouped by three", () => {
  assert.equal(grouped(0), "0");
  assert.equal(grouped(999), "999");
  assert.equal(grouped(1234567), "1,234,567");
  assert.equal(counted(1, "entry", "entries"), "1 entry");
  assert.equal(counted(2000, "entry", "entries"), "2,000 entries");
});

test("a share above zero is never shown as zero", () => {
  assert.equal(shareText(0), "0.0%");
  assert.equal(shareText(0.0001), "<0.1%");
  assert.equal(shareText(0.1234), "12.3%");
  assert.equal(shareText(1), "100.0%");
});

test("durations are given in two units at most", () => {
  assert.equal(durationText(0.85), "850 ms");
  assert.equal(durationText(2.5), "2.5 s");
  assert.equal(durationText(200), "3 min 20 s");
  assert.equal(durationText(7260), "2 h 1 min");
});
