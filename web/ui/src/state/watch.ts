// Watches signals: runs an action whenever what `read` reads changes, and at first. What the action
// itself reads does not count.

import { effect, untracked } from "@preact/signals-core";

export function watch(read: () => void, run: () => void): void {
  effect(() => {
    read();
    untracked(run);
  });
}
