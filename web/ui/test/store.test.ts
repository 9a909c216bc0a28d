import assert from "node:assert/strict";
import { test } from "node:test";

import { effect } from "@preact/signals-core";

import { Refusal, type Status, Unreachable } from "../src/net/api";
import { Store } from "../src/state/store";

const status = (more: Partial<Status> = {}): Status =>
  ({
    state: "complete",
    measure: "disk",
    taken: 1000,
    roots: [{ path: "/srv" }],
    ...more,
  }) as Status;

function storeAt(path: string): Store {
  const store = new Store();
  store.status.value = status();
  store.generation.value = 1;
  store.view.value = { ...store.view.value, path };
  return store;
}

/** How often the value changes. */
function changes(read: () => unknown): () => number {
  let count = -1; // the first run does not count
  effect(() => {
    read();
    count += 1;
  });
  return () => count;
}

test("an empty path is the only root", () => {
  assert.equal(storeAt("").directory.value, "/srv");
});

test("another colour or theme concerns nothing that is requested", () => {
  const store = storeAt("/srv/a");
  const requested = changes(() => [
    store.directory.value,
    store.measure.value,
    store.subject.value,
    store.generation.value,
    store.tab.value,
    store.roots.value,
  ]);
  const coloured = changes(() => store.colours.value);
  store.go({ colour: "age" });
  store.scheme.value = "dark";
  assert.equal(requested(), 0);
  assert.equal(coloured(), 2);
});

test("a selection concerns neither colours nor the directory", () => {
  const store = storeAt("/srv/a");
  const other = changes(() => [store.colours.value, store.directory.value, store.highlight.value]);
  store.select("/srv/a/b");
  assert.equal(other(), 0);
  assert.equal(store.selected.value, "/srv/a/b");
});

test("each status brings new roots only if they differ", () => {
  const store = storeAt("/srv");
  const roots = changes(() => store.roots.value);
  store.status.value = status({ generation: 7 });
  assert.equal(roots(), 0);
  store.status.value = status({ roots: [{ path: "/srv" }, { path: "/home" }] });
  assert.equal(roots(), 1);
});

test("on the way up, the directory that one comes from is selected", () => {
  const store = storeAt("/srv/a/b");
  store.up();
  assert.equal(store.directory.value, "/srv/a");
  assert.equal(store.selected.value, "/srv/a/b");
  store.open("/srv/a/c");
  assert.equal(store.selected.value, undefined);
});

test("the parent of a root is not opened", () => {
  const store = storeAt("/srv");
  store.up();
  assert.equal(store.directory.value, "/srv");
});

test("a report is about the directory, or the whole scan", () => {
  const store = storeAt("/srv/a");
  assert.equal(store.subject.value, "/srv/a");
  store.go({ scope: "all" });
  assert.equal(store.subject.value, "/srv");
});

test("a problem is forgotten when something else is shown", () => {
  const store = storeAt("/srv/a");
  store.failed(new Refusal(400, "not that"));
  assert.equal(store.problem.value, "not that");
  store.select("/srv/a/b");
  assert.equal(store.problem.value, "not that", "a selection is not another view");
  store.open("/srv");
  assert.equal(store.problem.value, "");
});

test("a lost token and a lost server are different", () => {
  const store = storeAt("/srv");
  store.failed(new Unreachable("no answer"));
  assert.equal(store.connection.value, "gone");
  store.failed(new Refusal(401, "no token"));
  assert.equal(store.connection.value, "refused");
});

test("roots cannot be planned, and a planned entry can be taken out", () => {
  const store = storeAt("/srv");
  store.togglePlanned("/srv");
  assert.equal(store.plan.value.size, 0);
  store.togglePlanned("/srv/a", "/srv/b");
  assert.deepEqual([...store.plan.value], ["/srv/a", "/srv/b"]);
  store.togglePlanned("/srv/a/inner");
  assert.deepEqual([...store.plan.value], ["/srv/b"], "its directory is taken out");
});
