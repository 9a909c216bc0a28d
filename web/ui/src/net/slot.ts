// A slot for one kind of question: a newer one takes the place of an older one, whose answer is then
// of no interest.

export class Slot {
  private controller: AbortController | undefined;

  /** Whether an answer is waited for. */
  get busy(): boolean {
    return this.controller !== undefined;
  }

  /** The answer, or undefined if a newer question was asked meanwhile. */
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
