// The content of a tab.

import { computed, effect, untracked } from "@preact/signals-core";

import type { Tab } from "../state/address";
import type { Store } from "../state/store";

export interface Panel {
  readonly element: HTMLElement;
  /** Moves the focus into the panel, if there is a better place than the panel itself. */
  focus?(): void;
}

/** For a directory that the server does not find in a search. */
export const noResults =
  "There are no results for this directory. It may be newer than the search.";

/**
 * Runs `show` when the tab is shown, when what `subject` reads changes, and for each new snapshot.
 * `changed` says whether the subject is another one than at the last time.
 */
export function whileShown(
  store: Store,
  tab: Tab,
  subject: () => string,
  show: (changed: boolean) => void,
): void {
  const subjectNow = computed(subject); // an effect on it runs only if it changes
  let shownFor: string | undefined;
  effect(() => {
    if (store.tab.value !== tab || !store.ready.value) return;
    void store.generation.value;
    const now = subjectNow.value;
    const changed = now !== shownFor;
    shownFor = now;
    untracked(() => show(changed));
  });
}
