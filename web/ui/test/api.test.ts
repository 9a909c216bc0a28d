import assert from "node:assert/strict";
import { test } from "node:test";

import { api } from "../src/net/api";

test("a path of a million bytes is sent as it is", async (t) => {
  const path = "/directory".repeat(100_000);
  const sent: string[] = [];
  t.mock.method(globalThis, "fetch", async (_address: string, { body }: { body: string }) => {
    sent.push(body);
    return new Response("{}");
  });
  await api.planSums([path]);
  assert.deepEqual(JSON.parse(sent[0]!), { paths: [{ path_b64: btoa(path) }] });
});
