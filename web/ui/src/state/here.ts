// Here: keeps the entry of the shown directory, and leaves a directory that does not exist.

import { effect, untracked } from "@preact/signals-core";

import { shown } from "../data/label";
import type { Path } from "../data/path";
import { api, type ChildrenAnswer, Refusal } from "../net/api";
import { Slot } from "../net/slot";
import type { Store } from "./store";

export class Here {
  private readonly slot = new Slot();
  private gone: Path | undefined; // the path that was asked for, if it does not exist

  constructor(private readonly store: Store) {
    effect(() => {
      const directory = store.directory.value;
      void store.generation.value;
      void store.scanning.value;
      if (store.ready.value) untracked(() => void this.load(directory));
    });
  }

  private async load(directory: Path): Promise<void> {
    const { store } = this;
    try {
      const page = { offset: 0, limit: 1 };
      const answer = await this.slot.take((signal) =>
        api.children(directory, "disk", "size", "desc", page, signal),
      );
      if (answer) this.found(answer, directory);
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) this.missing(directory);
      else store.failed(error);
    }
  }

  private found({ entry }: ChildrenAnswer, directory: Path): void {
    const { store } = this;
    const gone = this.gone;
    this.gone = undefined;
    store.waiting.value = "";
    store.entry.value = entry;
    if (gone !== undefined) {
      const where = directory === "" ? "all roots" : shown(directory);
      store.problem.value = `${shown(gone)} is not in this scan. Showing ${where}.`;
    }
    const isFile = entry.kind !== "directory" && directory !== "";
    if (isFile && store.roots.peek().parentOf(directory) !== undefined) {
      store.reveal(directory, "replace");
    }
  }

  // While a scan runs, the path may just not have been found yet.
  private missing(directory: Path): void {
    const { store } = this;
    store.entry.value = undefined;
    if (store.scanning.peek()) {
      store.waiting.value = `${shown(directory)} has not been found yet; the scan is still running.`;
      return;
    }
    this.gone ??= directory;
    const parent = store.roots.peek().parentOf(directory) ?? store.roots.peek().top;
    if (parent !== directory) store.go({ path: parent, selected: undefined }, "replace");
  }
}
