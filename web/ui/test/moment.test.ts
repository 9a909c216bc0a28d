import assert from "node:assert/strict";
import { test } from "node:test";

import { agoText, dateText, timeText } from "../src/data/moment";

const day = 86400;

test("times are local, as in the command", () => {
  const seconds = new Date(2026, 0, 31, 17, 5).getTime() / 1000;
  assert.equal(timeText(seconds), "2026-01-31 17:05");
  assert.equal(dateText(seconds), "2026-01-31");
});

test("a time beyond the calendar is a number", () => {
  assert.equal(timeText(-99999999999999), "@-99999999999999");
});

test("an age is given in the largest unit", () => {
  const cases: [number, string][] = [
    [0, "just now"],
    [59, "just now"],
    [60, "1 minute ago"],
    [2 * 3600, "2 hours ago"],
    [day, "1 day ago"],
    [7 * day, "1 week ago"],
    [45 * day, "1 month ago"],
    [800 * day, "2 years ago"],
    [-3 * day, "in 3 days"],
  ];
  for (const [seconds, text] of cases) assert.equal(agoText(1e9 - seconds, 1e9), text);
});
