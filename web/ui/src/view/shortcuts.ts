// The keys that work everywhere in the page.

import type { Sort } from "../state/address";
import type { Store } from "../state/store";

export interface Actions {
  readonly store: Store;
  search(): void;
  keys(): void;
  map(): void;
  table(): void;
  tab(at: number): void;
  sort(by: Sort): void;
  measure(): void;
  colouring(): void;
  spotlight(): void;
  tidy(): void;
  plan(): void;
  undo(): void;
  snapshot(by: -1 | 1): void;
}

export function listenForShortcuts(actions: Actions): void {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    const writing =
      target instanceof HTMLElement &&
      target.matches("input:not([type=radio], [type=checkbox]), select, #menu *");
    // A dialog has its own keys, wherever the focus is.
    if (writing || event.defaultPrevented || document.querySelector("dialog[open]")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const action = /^\d$/.test(key)
      ? () => actions.tab((Number(key) + 9) % 10)
      : meaning(actions)[key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}

function meaning(actions: Actions): Readonly<Record<string, (() => void) | undefined>> {
  const { store } = actions;
  return {
    "/": () => actions.search(),
    "?": () => actions.keys(),
    m: () => actions.map(),
    t: () => actions.table(),
    s: () => actions.sort("size"),
    n: () => actions.sort("name"),
    C: () => actions.sort("entries"),
    M: () => actions.sort("modified"),
    a: () => actions.measure(),
    c: () => actions.colouring(),
    h: () => actions.spotlight(),
    "=": () => actions.tidy(),
    d: () => {
      const selected = store.selected.peek();
      if (selected !== undefined) store.togglePlanned(selected);
    },
    P: () => actions.plan(),
    U: () => actions.undo(),
    "[": () => actions.snapshot(-1),
    "]": () => actions.snapshot(1),
    Backspace: () => store.up(),
    Escape: () => {
      if (store.highlight.peek()) store.go({ highlight: undefined }, "replace");
      else store.select(undefined);
    },
  };
}
