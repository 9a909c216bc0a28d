// A slot for one kind of request: a newer request replaces an older one and discards its response.

export class Slot {
  private controller: AbortController | undefined;

  /** Whether a request is pending. */
  get busy(): boolean {
    return this.controller !== undefined;
  }

  /** The response, or undefined if a newer request has replaced this one. */
  async take<T>(question: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
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

  clear(): void {
    this.controller?.abort();
    this.controller = undefined;
  }
}
