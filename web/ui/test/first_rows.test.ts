import assert from "node:assert/strict";
import { test } from "node:test";

import { firstRows } from "../src/net/first_rows";
import type { Page } from "../src/net/paged_list";

// A server with rows 0, 1, 2 and so on, of which an answer has at most so many.
function server(total: number, atOnce: number) {
  const asked: Page[] = [];
  const ask = async (page: Page) => {
    asked.push(page);
    const length = Math.max(0, Math.min(page.limit, atOnce, total - page.offset));
    const rows = Array.from({ length }, (_, at) => page.offset + at);
    return { generation: 1, total, offset: page.offset, rows };
  };
  return { asked, ask };
}

const numbers = (length: number) => Array.from({ length }, (_, at) => at);

test("rows are requested from where the last answer ends", async () => {
  const { asked, ask } = server(100, 40);
  const { rows, offset, total } = await firstRows(ask, 3000);
  assert.deepEqual(rows, numbers(100));
  assert.deepEqual([offset, total], [0, 100]);
  assert.deepEqual(
    asked.map(({ offset }) => offset),
    [0, 40, 80],
  );
});

test("no more rows than wanted are requested", async () => {
  const { asked, ask } = server(5000, 1000);
  assert.deepEqual((await firstRows(ask, 2500)).rows, numbers(2500));
  assert.deepEqual(asked[2], { offset: 2000, limit: 500 });
});

test("a list without rows is one request", async () => {
  const { asked, ask } = server(0, 1000);
  assert.deepEqual((await firstRows(ask, 3000)).rows, []);
  assert.equal(asked.length, 1);
});

test("however long rows are, there are ten requests at most", async () => {
  const { asked, ask } = server(5000, 1);
  const { rows, total } = await firstRows(ask, 3000);
  assert.equal(asked.length, 10);
  assert.deepEqual([rows, total], [numbers(10), 5000]);
});

test("an answer without rows is not requested again and again", async () => {
  const { asked, ask } = server(5000, 0);
  assert.deepEqual((await firstRows(ask, 3000)).rows, []);
  assert.equal(asked.length, 1);
});
