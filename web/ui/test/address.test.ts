import assert from "node:assert/strict";
import { test } from "node:test";

import { addressOf, firstView, parseAddress, type View } from "../src/address";

test("what is as it is at first is left out", () => {
  assert.equal(addressOf(firstView), "#");
  assert.deepEqual(parseAddress("#"), firstView);
  assert.deepEqual(parseAddress(""), firstView);
});

test("an address gives back what it was made of", () => {
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

test("what an address cannot mean is as at first", () => {
  assert.deepEqual(
    parseAddress("#measure=x&colour=y&tab=z&sort=&order=up&unknown=1&&="),
    firstView,
  );
});

test("paths get their canonical encoding", () => {
  assert.equal(parseAddress("#path=/%73rv/é").path, "/srv/%C3%A9");
});

test("the order that is usual depends on what is sorted by", () => {
  assert.equal(parseAddress("#sort=name").order, "asc");
  assert.equal(parseAddress("#sort=entries").order, "desc");
});

test("the server says which measure is meant where none is named", () => {
  assert.equal(parseAddress("#", "apparent").measure, "apparent");
  const disk = { ...firstView, measure: "disk" as const };
  assert.equal(parseAddress(addressOf(disk, "apparent"), "apparent").measure, "disk");
});
