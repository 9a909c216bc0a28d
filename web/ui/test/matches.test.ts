import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import type { Box } from "../src/map/layout";
import type { Status } from "../src/net/api";
import { Matches } from "../src/state/matches";
import { Store } from "../src/state/store";

const idle = () => new Promise((resolve) => setImmediate(resolve));
const browserFetch = globalThis.fetch;

// A server that finds /srv/0 to /srv/2, one in each answer, because of long paths.
beforeEach(() => {
  globalThis.fetch = async (address) => {
    const offset = Number(new URL(`http://host/${address}`).searchParams.get("offset"));
    const results = offset < 3 ? [{ path: `/srv/${offset}` }] : [];
    return new Response(JSON.stringify({ generation: 1, matches: 3, offset, results }));
  };
});

afterEach(() => {
  globalThis.fetch = browserFetch;
});

test("what a search finds is lit, also what is not in the first answer", async () => {
  const store = new Store();
  store.status.value = { state: "complete", roots: [{ path: "/srv" }] } as unknown as Status;
  store.generation.value = 1;
  store.view.value = { ...store.view.value, tab: "search", query: "x" };
  const { light } = new Matches(store);
  const lit = (path: string) => light.value!({ path } as Box) === 1;
  for (let turns = 0; turns < 100 && !lit("/srv/2"); ++turns) await idle();
  assert.deepEqual(["/srv/0", "/srv/1", "/srv/2", "/srv/3"].map(lit), [true, true, true, false]);
});
