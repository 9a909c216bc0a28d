// The first rows of a list at the server, for views that need them together.
//
// An answer has fewer rows than requested if their paths are long; then they are requested from
// where it ends. Paths may have any length, so this ends after some requests, too.

import type { Page, Part } from "./paged_list";

const mostAtOnce = 1000;
const mostRequests = 10; // an answer has 4 MiB, or little more

/** At most `most` rows. The rest is that of the last answer. */
export async function firstRows<Row>(
  ask: (page: Page) => Promise<Part<Row>>,
  most: number,
): Promise<Part<Row>> {
  const rows: Row[] = [];
  for (let requests = 1; ; ++requests) {
    const limit = Math.min(mostAtOnce, most - rows.length);
    const part = await ask({ offset: rows.length, limit });
    rows.push(...part.rows);
    const all = rows.length >= Math.min(part.total, most);
    if (all || part.rows.length === 0 || requests === mostRequests)
      return { ...part, offset: 0, rows };
  }
}
