import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, firstView, parseAddress, type View } from "../src/state/address";

test("an address omits initial values", () => {
  assert.equal(addressOf(firstView), "#");
  assert.deepEqual(parseAddress("#"), firstView);
  assert.deepEqual(parseAddress(""), firstView);
});

test("a view survives the round trip through its address", () => {
  const view: View = {
    path: "/srv/a%FF%26b",
    selected: "/srv/a%FF%26b/c%0A",
    measure: "apparent",
    colour: "age",
    tab: "search",
    scope: "all",
    query: "100% & = # é",
    highlight: { owner: 1000, age: 3, extension: "a,b&c" },
    sort: "name",
    order: "desc",
    from: "0123456789abcdef",
    to: "fedcba9876543210",
  };
  assert.deepEqual(parseAddress(addressOf(view)), view);
  assert.match(
    addressOf(view),
    /^#path=\/srv\/a%FF%26b&select=\/srv\/a%FF%26b\/c%0A&measure=apparent&/,
  );
});

test("invalid values of an address become initial values", () => {
  assert.deepEqual(
    parseAddress("#measure=x&colour=y&tab=z&sort=&order=up&mark=x:y&from=@~1&unknown=1&&="),
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
