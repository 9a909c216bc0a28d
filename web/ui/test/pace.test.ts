import assert from "node:assert/strict";
import { test } from "node:test";

import { Pace } from "../src/map/pace";

// When the action runs if it is wanted each 300 ms, in ms.
function runsIn(total: number, resetAt?: number): number[] {
  let now = 0;
  let due: { run: () => void; at: number } | undefined;
  const window = {
    setTimeout: (run: () => void, after: number) => {
      due = { run, at: now + after };
      return 1;
    },
    clearTimeout: () => {
      due = undefined;
    },
  };
  Object.assign(globalThis, { window });
  const runs: number[] = [];
  const pace = new Pace(() => runs.push(now));
  for (; now <= total; now += 100) {
    if (due && due.at <= now) {
      const { run } = due;
      due = undefined;
      run();
    }
    if (now === resetAt) pace.reset();
    if (now % 300 === 0) pace.want();
  }
  return runs;
}

test("news that come faster than the interval do not put an update off", () => {
  assert.deepEqual(runsIn(32_000), [1000, 3200, 7300, 15_500, 23_600, 31_700]);
});

test("another subject forgets the update that is due, and begins anew", () => {
  assert.deepEqual(runsIn(5000, 3100), [1000, 4300]);
});
