import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import type { Status } from "../src/net/api";
import { Feed } from "../src/state/feed";
import { Store } from "../src/state/store";

// The parts of a browser that the feed uses. Timers run only when a test says so.
let responses: (() => Response | Error)[];
let timers: { run: () => void; after: number }[];
let sources: FakeSource[];

class FakeSource {
  readonly listeners = new Map<string, (event: unknown) => void>();
  closed = false;

  constructor(readonly address: string) {
    sources.push(this);
  }

  addEventListener(name: string, listener: (event: unknown) => void): void {
    this.listeners.set(name, listener);
  }

  close(): void {
    this.closed = true;
  }

  say(status: Partial<Status>): void {
    this.listeners.get("status")!({ data: JSON.stringify(status) });
  }

  fail(): void {
    this.listeners.get("error")!({});
  }
}

const scanning = { state: "scanning", generation: 1, roots: [] } as unknown as Status;
const complete = { state: "complete", generation: 2, roots: [] } as unknown as Status;
const saying = (status: Status) => () => Response.json(status);
const gone = () => new TypeError("connection refused");
const idle = async () => {
  for (let i = 0; i < 5; ++i) await new Promise((resolve) => setImmediate(resolve));
};

beforeEach(() => {
  responses = [];
  timers = [];
  sources = [];
  const fake = {
    document: { hidden: false, addEventListener: () => {} },
    EventSource: FakeSource,
    fetch: async () => {
      const response = (responses.shift() ?? gone)();
      if (response instanceof Error) throw response;
      return response;
    },
    window: {
      EventSource: FakeSource,
      setTimeout: (run: () => void, after: number) => timers.push({ run, after }),
      clearTimeout: () => {},
    },
  };
  Object.assign(globalThis, fake);
});

afterEach(() => {
  for (const name of ["document", "EventSource", "window"])
    Reflect.deleteProperty(globalThis, name);
});

function startedFeed(...answers: (() => Response | Error)[]): { store: Store; feed: Feed } {
  responses = answers;
  const store = new Store();
  const feed = new Feed(store);
  feed.start();
  return { store, feed };
}

function started(...answers: (() => Response | Error)[]): Store {
  return startedFeed(...answers).store;
}

test("the status comes first, then its events", async () => {
  const store = started(saying(scanning));
  await idle();
  assert.equal(store.status.value?.state, "scanning");
  assert.equal(store.connection.value, "online");
  assert.equal(store.generation.value, 1);
  assert.equal(sources[0]!.address, "api/1/events");
});

test("the end of a scan is shown at once, other snapshots once a second", async () => {
  const store = started(saying(scanning));
  await idle();
  sources[0]!.say({ ...scanning, generation: 2 });
  assert.equal(store.generation.value, 1, "the last one was shown less than a second ago");
  sources[0]!.say({ ...complete, generation: 3 });
  assert.equal(store.generation.value, 3);
});

test("nothing is shown before the first snapshot", async () => {
  const store = started(saying({ ...scanning, generation: 0 }));
  await idle();
  assert.equal(store.generation.value, -1);
  assert.equal(store.ready.value, false);
});

test("a server that does not respond is asked again after 1, 2, 4 seconds", async () => {
  const store = started(gone, gone, gone, saying(complete));
  await idle();
  const pauses: number[] = [];
  for (let i = 0; i < 3; ++i) {
    assert.equal(store.connection.value, "gone");
    const timer = timers.pop()!;
    pauses.push(timer.after);
    timer.run();
    await idle();
  }
  assert.deepEqual(pauses, [1000, 2000, 4000]);
  assert.equal(store.connection.value, "online");
});

test("events that end are followed by a question", async () => {
  const store = started(saying(scanning), saying(complete));
  await idle();
  sources[0]!.fail();
  await idle();
  assert.ok(sources[0]!.closed);
  assert.equal(store.status.value?.state, "complete");
  assert.equal(sources.length, 2);
});

test("a change is asked for unless events tell it", async () => {
  const { store, feed } = startedFeed(gone, saying(scanning));
  await idle();
  feed.changed();
  await idle();
  assert.equal(store.status.value?.state, "scanning");
  feed.changed();
  await idle();
  assert.equal(store.connection.value, "online", "no question that would fail");
  assert.ok(!sources[0]!.closed);
});

test("a browser without working events asks each second", async () => {
  started(saying(scanning), saying(scanning), saying(scanning), saying(complete));
  await idle();
  for (let i = 0; i < 3; ++i) {
    sources[i]!.fail();
    await idle();
  }
  assert.equal(sources.length, 3);
  assert.equal(timers.at(-1)?.after, 1000);
});

test("a rejected token ends the questions", async () => {
  const store = started(() => new Response("{}", { status: 401 }));
  await idle();
  assert.equal(store.connection.value, "refused");
  assert.deepEqual(timers, []);
});
