import assert from "node:assert/strict";
import { test } from "node:test";

import { Slot } from "../src/net/slot";

// Requests with a name, which end when the test says so.
function requests() {
  const asked: string[] = [];
  const aborted: string[] = [];
  const ends = new Map<string, () => void>();
  const request = (name: string) => (signal: AbortSignal) => {
    asked.push(name);
    signal.addEventListener("abort", () => aborted.push(name));
    return new Promise<void>((resolve) => ends.set(name, resolve));
  };
  const end = async (name: string) => {
    ends.get(name)!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { asked, aborted, request, end };
}

test("a newer request replaces an older one", async () => {
  const { asked, aborted, request, end } = requests();
  const slot = new Slot();
  void slot.take(request("first"));
  void slot.take(request("second"));
  assert.deepEqual([asked, aborted], [["first", "second"], ["first"]]);
  await end("second");
  assert.ok(!slot.busy);
});

test("a request that follows waits for the end, and only the newest one is made", async () => {
  const { asked, aborted, request, end } = requests();
  const slot = new Slot();
  for (const name of ["first", "second", "third"]) void slot.follow(request(name));
  assert.deepEqual(asked, ["first"]);
  await end("first");
  assert.deepEqual(asked, ["first", "third"]);
  await end("third");
  assert.ok(!slot.busy);
  assert.deepEqual(aborted, []);
});

test("nothing follows in a slot that was cleared, until the next request", async () => {
  const { asked, aborted, request, end } = requests();
  const slot = new Slot();
  void slot.follow(request("first"));
  void slot.follow(request("second"));
  slot.clear();
  await end("first");
  assert.deepEqual([asked, aborted], [["first"], ["first"]]);
  void slot.follow(request("third"));
  assert.deepEqual(asked, ["first", "third"]);
});
