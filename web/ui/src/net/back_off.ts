// The pauses between attempts to reach a server that does not respond: 1, 2, 4 and so on to 30 s.

const first = 1000;
const longest = 30_000;

export class BackOff {
  private pause = first;

  /** The pause before the next attempt, in milliseconds; the one after it is twice as long. */
  next(): number {
    const pause = this.pause;
    this.pause = Math.min(2 * pause, longest);
    return pause;
  }

  /** The server has responded, or the user asks for an attempt. */
  reset(): void {
    this.pause = first;
  }
}
