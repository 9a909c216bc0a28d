import assert from "node:assert/strict";
import { test } from "node:test";

import { gaugeOf } from "../src/data/gauge";
import type { Status } from "../src/net/api";

const GiB = 1024 ** 3;

function status(scanned: number, filesystem: Status["filesystem"]): Status {
  return { totals: { disk_bytes: scanned }, filesystem } as Status;
}

test("a gauge says what is used, by this scan and by others, and what is free", () => {
  const disk = { mount_point: "/srv", size: 100 * GiB, free: 40 * GiB, available: 35 * GiB };
  const gauge = gaugeOf(status(20 * GiB, disk))!;
  assert.equal(gauge.text, "60 GiB of 100 GiB used, 35 GiB available");
  assert.equal(
    gauge.title,
    "The filesystem at /srv: 20 GiB in this scan, 40 GiB of other files, 35 GiB available, 5.0 GiB reserved",
  );
  assert.deepEqual([gauge.scanned, gauge.reserved], [20 * GiB, 5 * GiB]);
});

test("a gauge never shows more than the filesystem uses", () => {
  const disk = { mount_point: "", size: 100, free: 90, available: 90 };
  const gauge = gaugeOf(status(50, disk))!;
  assert.equal(gauge.scanned, 10);
  assert.match(gauge.title, /^The filesystem: 10 B in this scan, 0 B of other files, 90 B free$/);
});

test("there is no gauge without figures", () => {
  assert.equal(gaugeOf(status(50, undefined)), undefined);
});
