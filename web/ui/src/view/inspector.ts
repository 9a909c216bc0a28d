// The inspector: the facts about the selected entry, or else the shown directory, and what one can
// do with it. Only wide windows have room for it.

import { effect, signal, untracked } from "@preact/signals-core";

import { factsAbout } from "../data/facts";
import type { Path } from "../data/path";
import { button, byId, element } from "../dom";
import { api, type Entry, Refusal } from "../net/api";
import { Slot } from "../net/slot";
import type { Store } from "../state/store";
import { entryActions } from "./entry_actions";
import { kindIcon, kindWord } from "./kind_icon";
import { nameElement } from "./name";

const restBeforeAsking = 120; // ms: who moves through a list needs no facts on the way

interface Subject {
  readonly path: Path;
  readonly entry: Entry;
  readonly parent: Entry | undefined;
  readonly newest: number | null;
}

export class Inspector {
  private readonly box = byId("inspector");
  private readonly slot = new Slot();
  private readonly subject = signal<Subject | undefined>(undefined);
  private timer: number | undefined;

  constructor(private readonly store: Store) {
    const wide = window.matchMedia("(min-width: 1800px)");
    const visible = signal(wide.matches);
    wide.addEventListener("change", () => {
      visible.value = wide.matches;
    });
    effect(() => {
      const path = store.selected.value ?? store.directory.value;
      void store.generation.value;
      if (visible.value && store.ready.value) untracked(() => this.askLater(path));
    });
    effect(() => {
      void store.plan.value; // the actions depend on it
      this.show(this.subject.value);
    });
  }

  private askLater(path: Path): void {
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.ask(path), restBeforeAsking);
  }

  private async ask(path: Path): Promise<void> {
    const { store } = this;
    const parent = store.roots.peek().parentOf(path);
    const entryOf = async (at: Path, signal: AbortSignal) =>
      (await api.children(at, "disk", "size", "desc", { offset: 0, limit: 1 }, signal)).entry;
    try {
      const found = await this.slot.take(async (signal) => {
        const entry = await entryOf(path, signal);
        const [around, newest] = await Promise.all([
          parent === undefined ? undefined : entryOf(parent, signal),
          entry.kind === "directory" ? api.newest(path, signal) : entry.modified,
        ]);
        return { path, entry, parent: around, newest };
      });
      if (found) this.subject.value = found;
    } catch (error) {
      // The selection is of another time: what is not there has no facts.
      if (error instanceof Refusal && error.status === 404) this.subject.value = undefined;
      else store.failed(error);
    }
  }

  private show(subject: Subject | undefined): void {
    if (!subject) {
      this.box.replaceChildren();
      return;
    }
    const { path, entry, parent, newest } = subject;
    const { store } = this;
    const list = element("dl");
    for (const [name, value] of factsAbout(entry, parent, newest, store.taken.peek()))
      list.append(element("dt", {}, name), element("dd", {}, value));
    const title = path === "" ? "All roots" : nameElement(store.nameOf(path));
    const buttons = entryActions(store, path, entry.kind)
      .filter(({ text }) => text !== "Open" || path !== store.directory.peek())
      .map(({ text, run }) => button(text, run));
    this.box.replaceChildren(
      element("h2", {}, kindIcon(entry.kind, undefined), title),
      element("p", { class: "quiet-text" }, kindWord(entry.kind)),
      list,
      ...(path === "" ? [] : buttons),
    );
  }
}
