// What one can do with an entry: open it, copy its path or a command for it, put it into the plan.

import type { Path } from "../data/path";
import { shellWord } from "../data/shell";
import { plannedBy } from "../state/plan";
import type { Store } from "../state/store";

export interface EntryAction {
  readonly text: string;
  readonly run: () => void;
}

export function entryActions(store: Store, path: Path, kind: string): EntryAction[] {
  const isDirectory = kind === "directory";
  const actions: EntryAction[] = [];
  const copy = (title: string, text: string, done = "Command copied") =>
    actions.push({ text: title, run: () => copyOrTell(store, text, done) });
  if (isDirectory) actions.push({ text: "Open", run: () => store.open(path) });
  else actions.push({ text: "Show in its directory", run: () => store.reveal(path) });
  copy("Copy path", shellWord(path), "Path copied");
  if (isDirectory) {
    copy("Copy command: cd", `cd ${shellWord(path)}`);
    copy("Copy command: fathom scan", `fathom scan ${shellWord(path)}`);
  } else {
    copy("Copy command: ls -l", `ls -l ${shellWord(path)}`);
  }
  if (!store.roots.peek().paths.includes(path)) {
    const planned = plannedBy(store.plan.peek(), path) !== undefined;
    actions.push({
      text: planned ? "Take out of the plan" : "Put into the plan",
      run: () => store.togglePlanned(path),
    });
  }
  return actions;
}

function copyOrTell(store: Store, text: string, done: string): void {
  copyText(text).then(
    () => {
      store.toast.value = done;
    },
    () => {
      store.problem.value = `The browser does not allow copying. The text is: ${text}`;
    },
  );
}

/** Pages that are not served from this machine or encrypted have no clipboard. */
export async function copyText(text: string): Promise<void> {
  if (!navigator.clipboard) throw new Error("no clipboard");
  await navigator.clipboard.writeText(text);
}
