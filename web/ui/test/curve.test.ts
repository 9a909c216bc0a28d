import assert from "node:assert/strict";
import { test } from "node:test";

import { sparkPoints } from "../src/view/curve";

test("a spark has its points at their times, from zero to the largest size", () => {
  assert.equal(sparkPoints([0, 50, 100], [10, 20, 50], 80, 16), "0.0,16.0 20.0,8.0 80.0,0.0");
});

test("a spark leaves out what is unknown", () => {
  assert.equal(sparkPoints([null, 10], [0, 10], 80, 16), "80.0,0.0");
  assert.equal(sparkPoints([0], [7], 80, 16), "0.0,16.0");
});
