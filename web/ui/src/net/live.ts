// Follows the status: by server-sent events, or by polling if those fail.

import { api, Refusal, type Status } from "./api";

export interface LiveListener {
  status(status: Status): void;
  /** The token is missing or wrong. No further reports follow. */
  refused(): void;
  /** The server does not respond. The next attempt is in `retryIn` milliseconds. */
  gone(retryIn: number): void;
}

const firstPause = 500;
const longestPause = 10_000;
const betweenQuestions = 1000; // when polling

export class Live {
  private source: EventSource | undefined;
  private timer: number | undefined;
  private pause = firstPause;
  private eventsFailed = 0;
  private asking = false;

  constructor(private readonly listener: LiveListener) {}

  start(): void {
    void this.question();
  }

  /** Retries immediately. */
  retry(): void {
    this.pause = firstPause;
    void this.question();
  }

  // Sent before the event stream, and whenever it fails, because its errors carry no reason.
  private async question(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    this.close();
    window.clearTimeout(this.timer);
    try {
      const status = await api.status();
      this.pause = firstPause;
      this.listener.status(status);
      if (this.eventsFailed < 3 && "EventSource" in window) this.listen();
      else this.later(betweenQuestions);
    } catch (error) {
      if (error instanceof Refusal && error.status === 401) {
        this.listener.refused();
        return;
      }
      this.listener.gone(this.pause);
      this.later(this.pause);
      this.pause = Math.min(this.pause * 2, longestPause);
    } finally {
      this.asking = false;
    }
  }

  private later(milliseconds: number): void {
    this.timer = window.setTimeout(() => void this.question(), milliseconds);
  }

  private listen(): void {
    const source = new EventSource("api/1/events");
    this.source = source;
    source.addEventListener("status", (event: MessageEvent<string>) => {
      this.eventsFailed = 0;
      this.listener.status(JSON.parse(event.data) as Status);
    });
    source.addEventListener("error", () => {
      this.eventsFailed++;
      void this.question();
    });
  }

  private close(): void {
    this.source?.close();
    this.source = undefined;
  }
}
