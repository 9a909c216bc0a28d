import assert from "node:assert/strict";
import { test } from "node:test";

import type { Page } from "../src/net/api";
import { firstRows } from "../src/net/rows";

// A server with rows 0, 1, 2 and so on, which notes the requests. After the request with that
// number it has a new snapshot.
function server(total: number, newAfter = Infinity) {
  const asked: Page[] = [];
  const ask = async (page: Page) => {
    asked.push(page);
    assert.ok(page.limit >= 1 && page.limit <= 1000);
    const end = Math.min(total, page.offset + page.limit);
    const generation = asked.length > newAfter ? 2 : 1;
    const rows = Array.from(
      { length: Math.max(0, end - page.offset) },
      (_, at) => page.offset + at,
    );
    return { generation, total, rows };
  };
  return { asked, ask };
}

test("all rows on display are requested again, however many they are", async () => {
  const { asked, ask } = server(5000);
  const { rows, total } = await firstRows("rows", 2300, ask);
  assert.equal(total, 5000);
  assert.deepEqual(rows, [...Array(2300).keys()]);
  assert.deepEqual(asked, [
    { offset: 0, limit: 1000 },
    { offset: 1000, limit: 1000 },
    { offset: 2000, limit: 300 },
  ]);
});

test("a list that became shorter ends the requests", async () => {
  const { asked, ask } = server(1200);
  assert.equal((await firstRows("rows", 5000, ask)).rows.length, 1200);
  assert.equal(asked.length, 2);
});

test("an empty list takes one request", async () => {
  const { asked, ask } = server(0);
  assert.deepEqual((await firstRows("rows", 100, ask)).rows, []);
  assert.equal(asked.length, 1);
});

test("rows of two snapshots are never mixed", async () => {
  const { asked, ask } = server(5000, 1);
  const answer = await firstRows("rows", 1500, ask);
  assert.equal(answer.generation, 2);
  assert.deepEqual(answer.rows, [...Array(1500).keys()]);
  assert.deepEqual(
    asked.map(({ offset }) => offset),
    [0, 1000, 0, 1000],
  );
});
