// Limits how often an action runs: at most once per interval, and always after the last request.

export class Throttle {
  private last = -Infinity;
  private timer: number | undefined;

  constructor(
    private readonly milliseconds: number,
    private readonly run: () => void,
  ) {}

  want(): void {
    if (this.timer !== undefined) return;
    const wait = this.last + this.milliseconds - performance.now();
    if (wait <= 0) this.now();
    else this.timer = window.setTimeout(() => this.now(), wait);
  }

  now(): void {
    window.clearTimeout(this.timer);
    this.timer = undefined;
    this.last = performance.now();
    this.run();
  }
}
