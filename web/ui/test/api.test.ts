import assert from "node:assert/strict";
import { test } from "node:test";

import { api, ifKnown, Refusal } from "../src/net/api";

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

test("a comparison with a scan that has just begun is not known, which is no problem", async (t) => {
  let status = 503;
  t.mock.method(globalThis, "fetch", async () => new Response("{}", { status }));
  const compared = () => api.diff("/srv", "latest", "now", "disk", 5);
  assert.equal(await ifKnown(compared(), 503), undefined);
  await assert.rejects(ifKnown(compared()), Refusal, "elsewhere, a busy server is a problem");
  status = 404;
  assert.equal(await ifKnown(compared()), undefined);
  status = 500;
  await assert.rejects(ifKnown(compared(), 503), Refusal);
});
