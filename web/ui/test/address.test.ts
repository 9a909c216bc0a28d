import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, firstView, parseAddress, type View } from "../src/address";

test("an address omits initial values", () => {
  assert.equal(addressOf(firstView), "#");
  assert.deepEqual(parseAddress("#"), firstView);
  assert.deepEqual(parseAddress(""), firstView);
});

test("a view survives the round trip through its address", () => {
  const view: View = {
    path: "/srv/a%FF%26b",
    measure: "apparent",
    colour: "age",
    tab: "search",
    query: "100% & = # é",
    within: true,
    sort: "name",
    order: "desc",
  };
  assert.deepEqual(parseAddress(addressOf(view)), view);
  assert.match(addressOf(view), /^#path=\/srv\/a%FF%26b&measure=apparent&/);
});

test("invalid values of an address become initial values", () => {
  assert.deepEqual(
    parseAddress("#measure=x&colour=y&tab=z&sort=&order=up&unknown=1&&="),
    firstView,
  );
});

test("paths are encoded canonically", () => {
  assert.equal(parseAddress("#path=/%73rv/é").path, "/srv/%C3%A9");
});

test("the default order depends on the sort key", () => {
  assert.equal(parseAddress("#sort=name").order, "asc");
  assert.equal(parseAddress("#sort=entries").order, "desc");
});

test("an address without a measure uses the measure of the server", () => {
  assert.equal(parseAddress("#", "apparent").measure, "apparent");
  const disk = { ...firstView, measure: "disk" as const };
  assert.equal(parseAddress(addressOf(disk, "apparent"), "apparent").measure, "disk");
});
