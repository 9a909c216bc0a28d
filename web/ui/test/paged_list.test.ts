import assert from "node:assert/strict";
import { test } from "node:test";

import { type Page, PagedList } from "../src/net/paged_list";

const never = new Promise<never>(() => {}); // ends the loop of a list that asks again and again

// A server with rows 0, 1, 2 and so on, which notes the requests.
function server(total: number) {
  const asked: Page[] = [];
  const state = { total, generation: 1, failing: false };
  const errors: unknown[] = [];
  const list = new PagedList<number>(
    async (page) => {
      asked.push(page);
      if (asked.length === 10) await never;
      if (state.failing) throw new Error("refused");
      const around = page.around === undefined ? undefined : Number(page.around);
      const offset =
        around === undefined ? page.offset : Math.floor(around / page.limit) * page.limit;
      const length = Math.max(0, Math.min(page.limit, state.total - offset));
      const rows = Array.from({ length }, (_, at) => offset + at);
      return { generation: state.generation, total: state.total, offset, rows };
    },
    (error) => errors.push(error),
  );
  return { asked, state, list, errors };
}

const idle = () => new Promise((resolve) => setImmediate(resolve));

test("the first rows are requested, and no others", async () => {
  const { asked, list } = server(5000);
  await list.restart();
  assert.deepEqual(asked, [{ offset: 0, limit: 100 }]);
  assert.equal(list.total, 5000);
  assert.equal(list.row(99), 99);
  assert.equal(list.row(100), undefined);
});

test("visible rows that are not here are requested together", async () => {
  const { asked, list } = server(5000);
  await list.restart();
  list.want(2950, 3010);
  await idle();
  assert.deepEqual(asked[1], { offset: 2900, limit: 200 });
  assert.equal(list.row(3009), 3009);
  list.want(2960, 3000);
  await idle();
  assert.equal(asked.length, 2, "what is here is not requested again");
});

test("a request that will bring all rows that are missing is neither repeated nor replaced", async () => {
  const { asked, list } = server(5000);
  await list.restart();
  for (let from = 70; from < 100; ++from) list.want(from, from + 40);
  assert.deepEqual(asked.slice(1), [{ offset: 100, limit: 100 }]);
  list.want(190, 230);
  assert.deepEqual(asked.slice(2), [{ offset: 100, limit: 200 }]);
  await idle();
  for (let at = 0; at < 300; ++at) assert.equal(list.row(at), at);
});

test("a refresh keeps rows beyond the first page, and requests what is visible", async () => {
  const { asked, state, list } = server(5000);
  await list.restart();
  list.want(2900, 2950);
  await idle();
  state.generation = 2;
  await list.refresh();
  assert.deepEqual(asked[2], { offset: 2900, limit: 100 });
  assert.equal(list.row(2930), 2930);
});

test("rows of two snapshots are never mixed", async () => {
  const { state, list } = server(5000);
  await list.restart();
  state.generation = 2;
  list.want(400, 450);
  await idle();
  assert.equal(list.row(420), 420);
  assert.equal(list.row(0), undefined, "the rows of the older snapshot are gone");
});

test("a list that became shorter is shown as such", async () => {
  const { state, list } = server(5000);
  await list.restart();
  list.want(4900, 4950);
  await idle();
  state.total = 50;
  state.generation = 2;
  await list.refresh();
  assert.equal(list.total, 50);
  list.want(0, 50);
  await idle();
  assert.equal(list.row(49), 49);
});

test("the part around an entry is found", async () => {
  const { asked, list } = server(5000);
  await list.restart();
  assert.equal(await list.seek("4321", (row) => row === 4321), 4321);
  assert.deepEqual(asked[1], { offset: 0, limit: 100, around: "4321" });
  assert.equal(await list.seek("4322", (row) => row === 4322), 4322);
  assert.equal(asked.length, 2, "a row that is here needs no request");
});

// After this, rows 0 to 99 are not here.
async function scrolledFarAway(list: PagedList<number>, state: { generation: number }) {
  await list.restart();
  list.want(2000, 2040);
  await idle();
  state.generation += 1;
  await list.refresh();
}

test("rows that become visible while an entry is looked for are requested, once", async () => {
  const { asked, state, list } = server(5000);
  await scrolledFarAway(list, state);
  const sought = list.seek("4321", (row) => row === 4321);
  for (let frame = 0; frame < 5; ++frame) list.want(0, 40);
  await sought;
  await idle();
  assert.deepEqual(asked.slice(3), [
    { offset: 0, limit: 100, around: "4321" },
    { offset: 0, limit: 100 },
  ]);
  for (let at = 0; at < 100; ++at) assert.equal(list.row(at), at);
});

test("visible rows that are missing are requested when an entry is not there", async () => {
  const { asked, state, list } = server(5000);
  await list.restart();
  list.want(2000, 2040);
  state.failing = true;
  const sought = list.seek("5000", (row) => row === 5000); // replaces the request for the rows
  state.failing = false;
  assert.equal(await sought, -1);
  await idle();
  assert.deepEqual(asked.slice(3), [{ offset: 2000, limit: 100 }]);
  for (let at = 2000; at < 2100; ++at) assert.equal(list.row(at), at);
});

test("a server that refuses everything is not asked again and again", async () => {
  const { asked, state, list, errors } = server(5000);
  await list.restart();
  state.failing = true;
  list.want(2000, 2040);
  await list.seek("4321", (row) => row === 4321);
  await idle();
  assert.deepEqual(asked.slice(1), [
    { offset: 2000, limit: 100 },
    { offset: 0, limit: 100, around: "4321" },
    { offset: 2000, limit: 100 },
  ]);
  assert.equal(errors.length, 2);
});

test("a list that cannot be loaded is empty, and says so", async () => {
  const { state, list, errors } = server(10);
  await list.restart();
  state.failing = true;
  await list.restart();
  assert.equal(list.total, 0);
  assert.equal(list.row(0), undefined);
  assert.equal(errors.length, 1);
});

test("rows stay when a refresh fails", async () => {
  const { state, list } = server(10);
  await list.restart();
  state.failing = true;
  await list.refresh();
  assert.equal(list.row(9), 9);
});

test("an answer without rows is not requested again and again", async () => {
  let asked = 0;
  const list = new PagedList<number>(
    async ({ offset }) => {
      asked += 1;
      if (asked === 10) await never;
      return { generation: 1, total: 500, offset, rows: [] };
    },
    () => {},
  );
  await list.restart();
  await idle();
  assert.equal(asked, 1);
});

test("after an answer with fewer rows than requested, the list continues with the next one", async () => {
  const asked: number[] = [];
  const list = new PagedList<number>(
    async ({ offset }) => {
      asked.push(offset);
      if (asked.length === 10) await never;
      const rows = Array.from({ length: Math.min(40, 500 - offset) }, (_, at) => offset + at);
      return { generation: 1, total: 500, offset, rows };
    },
    () => {},
  );
  await list.restart();
  await idle();
  assert.deepEqual(asked, [0, 40, 80]);
  list.want(100, 130);
  await idle();
  assert.deepEqual(asked, [0, 40, 80, 120]);
  for (let at = 0; at < 160; ++at) assert.equal(list.row(at), at);
});

test("each change is signalled", async () => {
  const { list } = server(10);
  const before = list.version.value;
  await list.restart();
  assert.ok(list.version.value > before);
});
