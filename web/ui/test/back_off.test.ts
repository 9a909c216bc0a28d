import assert from "node:assert/strict";
import { test } from "node:test";

import { BackOff } from "../src/net/back_off";

test("pauses double from one second to thirty", () => {
  const backOff = new BackOff();
  const pauses = Array.from({ length: 7 }, () => backOff.next());
  assert.deepEqual(pauses, [1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
});

test("pauses begin again after a response", () => {
  const backOff = new BackOff();
  backOff.next();
  backOff.next();
  backOff.reset();
  assert.equal(backOff.next(), 1000);
});
