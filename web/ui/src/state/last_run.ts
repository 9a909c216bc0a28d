// The last run: what this page has applied and can undo. Each apply replaces it.

import { remember, remembered } from "./memory";

export interface Run {
  readonly journal: string;
  readonly journal_b64?: string | undefined;
  /** How many items were moved. */
  readonly done: number;
}

const key = "fathom-run";

/** The run that this browser tab had before a reload. */
export function rememberedRun(): Run | undefined {
  const run = remembered(key) as Partial<Run> | undefined;
  return typeof run?.journal === "string" && typeof run.done === "number"
    ? { journal: run.journal, journal_b64: run.journal_b64, done: run.done }
    : undefined;
}

export function rememberRun(run: Run | undefined): void {
  remember(key, run);
}
