// The rows of a list at the server, which sends a limited number of them in one answer.

import type { Page } from "./api";

const mostAtOnce = 1000;

type Part<Key extends string> = { readonly generation: number } & Readonly<
  Record<Key, readonly unknown[]>
>;

/**
 * The first rows of a list, up to the wanted number, as one answer. All of them are from one
 * snapshot of the scan: if there is a newer one meanwhile, this starts again.
 */
export async function firstRows<Key extends string, Answer extends Part<Key>>(
  key: Key,
  wanted: number,
  ask: (page: Page) => Promise<Answer>,
): Promise<Answer> {
  let rows: unknown[] = [];
  let generation: number | undefined;
  for (;;) {
    const limit = Math.min(mostAtOnce, wanted - rows.length);
    const answer = await ask({ offset: rows.length, limit });
    if (generation !== undefined && answer.generation !== generation) {
      rows = [];
      generation = undefined;
      continue;
    }
    generation = answer.generation;
    rows.push(...answer[key]);
    if (answer[key].length < limit || rows.length >= wanted) return { ...answer, [key]: rows };
  }
}
