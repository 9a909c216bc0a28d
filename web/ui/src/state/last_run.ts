// The last run: what this page has applied and can undo. Each apply replaces it.

import type { Applied, Refusal } from "../net/api";
import { remember, remembered } from "./memory";

export interface Run {
  readonly journal: string;
  readonly journal_b64?: string | undefined;
  /** How many items were moved. */
  readonly done: number;
  /** How many more may have been moved. */
  readonly unsure?: number | undefined;
}

/** The run; undefined if it cannot have moved anything. */
export function runOf({ journal, journal_b64, done, failed }: Applied): Run | undefined {
  return done + failed > 0 ? { journal, journal_b64, done, unsure: failed } : undefined;
}

/** The run of that many items that ended in the error; undefined if it has not begun. */
export function brokenRunOf({ journal }: Refusal, items: number): Run | undefined {
  return journal && { ...journal, done: 0, unsure: items };
}

const key = "fathom-run";

/** The run that this browser tab had before a reload. */
export function rememberedRun(): Run | undefined {
  const run = remembered(key) as Partial<Run> | undefined;
  return typeof run?.journal === "string" && typeof run.done === "number"
    ? { journal: run.journal, journal_b64: run.journal_b64, done: run.done, unsure: run.unsure }
    : undefined;
}

export function rememberRun(run: Run | undefined): void {
  remember(key, run);
}
