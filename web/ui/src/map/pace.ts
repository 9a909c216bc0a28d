// Limits how often the map changes while a scan runs.

const first = 1000; // ms
const longest = 8000;

/**
 * Runs an action 1, 2, 4 and then each 8 seconds after it was wanted. While one is due, further wishes
 * neither add another nor put it off: a scan has news more often than that.
 */
export class Pace {
  private timer: number | undefined;
  private interval = first;

  constructor(private readonly run: () => void) {}

  want(): void {
    if (this.timer !== undefined) return;
    this.timer = window.setTimeout(() => {
      this.timer = undefined;
      this.run();
    }, this.interval);
    this.interval = Math.min(2 * this.interval, longest);
  }

  /** Forgets the action that is due, and begins with short intervals again. */
  reset(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    this.interval = first;
  }
}
