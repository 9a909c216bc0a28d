// The feed of the scan's status: by server-sent events, or by polling if those fail.
//
// It keeps `status`, `generation` and `connection` of the store.

import { batch } from "@preact/signals-core";

import { api, Refusal, type Status } from "../net/api";
import { BackOff } from "../net/back_off";
import { Throttle } from "../throttle";
import type { Store } from "./store";

const betweenQuestions = 1000; // ms, when polling
const betweenSnapshots = 1000; // ms, the minimum

export class Feed {
  private source: EventSource | undefined;
  private timer: number | undefined;
  private readonly backOff = new BackOff();
  private eventsFailed = 0;
  private asking = false;
  private readonly showing = new Throttle(betweenSnapshots, () => this.showSnapshot());
  private state = "";

  constructor(private readonly store: Store) {
    document.addEventListener("visibilitychange", () => this.showing.want());
    store.connection.subscribe((connection) => {
      if (connection === "gone" && !this.asking && this.timer === undefined) void this.question();
      if (connection === "refused") this.close();
    });
  }

  start(): void {
    void this.question();
  }

  /** Tries again immediately. */
  retry(): void {
    this.backOff.reset();
    void this.question();
  }

  /** The status may have changed: asks for it unless events tell. */
  changed(): void {
    if (!this.source) this.retry();
  }

  // Only from here: a status that arrives in another way may be older than the last event.
  private heard(status: Status): void {
    const { store } = this;
    if (store.connection.peek() === "refused") return;
    const ended = status.state !== this.state && status.state !== "scanning";
    this.state = status.state;
    batch(() => {
      store.status.value = status;
      store.connection.value = "online";
    });
    if (ended) this.showing.now();
    else if (status.generation !== store.generation.peek()) this.showing.want();
  }

  // Before the first results, every request would be refused.
  private showSnapshot(): void {
    const { generation } = this.store.status.peek() ?? {};
    if (document.hidden || !generation) return; // done when the page becomes visible
    this.store.generation.value = generation;
  }

  // Sent before the event stream, and whenever it fails, because its errors carry no reason.
  private async question(): Promise<void> {
    if (this.asking || this.store.connection.peek() === "refused") return;
    this.asking = true;
    this.close();
    try {
      this.heard(await api.status());
      this.backOff.reset();
      if (this.eventsFailed < 3 && "EventSource" in window) this.listen();
      else this.later(betweenQuestions);
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        this.store.connection.value = "refused";
        return;
      }
      this.later(this.backOff.next());
      this.store.connection.value = "gone";
    } finally {
      this.asking = false;
    }
  }

  private later(milliseconds: number): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      void this.question();
    }, milliseconds);
  }

  private listen(): void {
    const source = new EventSource("api/1/events");
    this.source = source;
    source.addEventListener("status", (event: MessageEvent<string>) => {
      this.eventsFailed = 0;
      this.heard(JSON.parse(event.data) as Status);
    });
    source.addEventListener("error", () => {
      this.eventsFailed++;
      void this.question();
    });
  }

  private close(): void {
    this.source?.close();
    this.source = undefined;
    window.clearTimeout(this.timer);
    this.timer = undefined;
  }
}
