// A slot for one kind of request: a newer request replaces an older one and discards its response, or
// follows it.

type Question<T> = (signal: AbortSignal) => Promise<T>;

export class Slot {
  private controller: AbortController | undefined;
  private next: Question<void> | undefined;

  /** Whether a request is pending. */
  get busy(): boolean {
    return this.controller !== undefined;
  }

  /** The response, or undefined if a newer request has replaced this one. */
  async take<T>(question: Question<T>): Promise<T | undefined> {
    this.controller?.abort();
    const controller = new AbortController();
    this.controller = controller;
    try {
      const answer = await question(controller.signal);
      return controller.signal.aborted ? undefined : answer;
    } catch (error) {
      if (controller.signal.aborted) return undefined;
      throw error;
    } finally {
      if (this.controller === controller) this.controller = undefined;
    }
  }

  /** Lets a pending request end first. Of those that wait for it, the newest replaces the others. */
  async follow(question: Question<void>): Promise<void> {
    this.next = question;
    while (this.next && !this.busy) {
      const { next } = this;
      this.next = undefined;
      await this.take(next);
    }
  }

  clear(): void {
    this.controller?.abort();
    this.controller = undefined;
    this.next = undefined;
  }
}
