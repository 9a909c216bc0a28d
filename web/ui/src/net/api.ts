// The requests of docs/HTTP.md. All URLs are relative, so the page works below any address.

import type { Measure, Order, Sort } from "../address";
import { type Path, queryOf } from "../data/path";

export interface Named {
  readonly name: string;
  readonly name_b64?: string;
}

export interface WithPath {
  readonly path: string;
  readonly path_b64?: string;
}

export type Kind = "directory" | "file" | "symlink" | "other";

export interface Entry extends Named {
  readonly kind: Kind;
  readonly disk_bytes: number;
  readonly apparent_bytes: number;
  readonly exclusive_bytes: number | null;
  readonly entries: number;
  readonly files: number;
  readonly dirs: number;
  readonly modified: number | null;
  readonly uid: number | null;
  readonly mode: number | null;
  readonly owner: string | null;
  readonly owner_b64?: string;
  readonly links: number | null;
  readonly flags: readonly string[];
  readonly children: number;
}

export interface Status {
  readonly version: string;
  readonly generation: number;
  readonly state: "scanning" | "complete" | "interrupted" | "failed";
  readonly source: "scan" | "file";
  readonly roots: readonly WithPath[];
  readonly measure: Measure;
  readonly progress: {
    readonly entries: number;
    readonly disk_bytes: number;
    readonly seconds: number;
    readonly directory: string | null;
    readonly directory_b64?: string;
    readonly stuck: readonly WithPath[];
  } | null;
  readonly totals: {
    readonly entries: number;
    readonly disk_bytes: number;
    readonly apparent_bytes: number;
  };
  readonly accuracy: {
    readonly complete: boolean;
    readonly unreadable: number;
    readonly changed: number;
  };
  readonly taken: number;
  readonly message: string;
  readonly can_rescan: boolean;
  readonly can_find_duplicates: boolean;
}

export interface ChildrenAnswer extends WithPath {
  readonly generation: number;
  readonly entry: Entry;
  readonly total: number;
  readonly offset: number;
  readonly children: readonly Entry[];
}

export interface TreeNode extends Named {
  readonly kind: Kind;
  readonly bytes: number;
  readonly modified: number | null;
  readonly uid: number | null;
  readonly mode: number | null;
  readonly flags: readonly string[];
  readonly children?: readonly TreeNode[];
  readonly rest?: { readonly entries: number; readonly bytes: number };
}

export interface TreeAnswer extends WithPath {
  readonly generation: number;
  readonly root: TreeNode;
}

export interface SearchAnswer {
  readonly generation: number;
  readonly query: string;
  readonly matches: number;
  readonly bytes: number;
  readonly results: readonly (Entry & WithPath)[];
}

export type Row = Readonly<Record<string, unknown>>;

export interface Report {
  readonly generation: number;
  readonly key: string;
  readonly title: string;
  readonly columns: readonly {
    readonly key: string;
    readonly heading: string;
    readonly type: string;
  }[];
  readonly total: number;
  readonly offset: number;
  readonly rows: readonly Row[];
}

export interface Duplicates {
  readonly generation: number;
  readonly state: "none" | "running" | "complete" | "interrupted" | "failed";
  readonly message: string;
  readonly progress: { readonly bytes_read: number; readonly bytes_to_read: number } | null;
  readonly totals: {
    readonly groups: number;
    readonly files: number;
    readonly wasted_bytes: number;
  } | null;
  readonly total: number;
  readonly offset: number;
  readonly groups: readonly {
    readonly size: number;
    readonly wasted_bytes: number;
    readonly names?: number;
    readonly files: readonly (WithPath & { readonly other_names?: number })[];
  }[];
}

/** An error response. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** No response: the server has stopped, or cannot be reached. */
export class Unreachable extends Error {}

async function messageOf(response: Response): Promise<string> {
  try {
    const body = (await response.json()) as { error?: { message?: unknown } };
    if (typeof body.error?.message === "string") return body.error.message;
  } catch {
    // The body is not from this interface; the status is enough.
  }
  return `the server responded with status ${response.status}`;
}

type Parameters = Readonly<Record<string, string | number | undefined>>;

function addressOf(name: string, parameters: Parameters): string {
  const query = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([key, value]) => `${key}=${value}`)
    .join("&");
  return `api/1/${name}${query ? `?${query}` : ""}`;
}

/** Sets the performance mark when the whole response has arrived, before it is parsed. */
async function ask<T>(address: string, init: RequestInit, mark?: string): Promise<T> {
  let response: Response;
  let text: string;
  try {
    // no-cache: a cached response is revalidated by its ETag.
    response = await fetch(address, { cache: "no-cache", credentials: "same-origin", ...init });
    if (!response.ok) throw new Refusal(response.status, await messageOf(response));
    text = await response.text();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable(String(error));
  }
  if (mark !== undefined) {
    performance.clearMarks(mark);
    performance.mark(mark);
  }
  return JSON.parse(text) as T;
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The requests of the page. Reports support neither exclusive sizes nor a directory. */
export const api = {
  status: (signal?: AbortSignal) => ask<Status>("api/1/status", { signal: signal ?? null }),

  tree: (path: Path, measure: Measure, nodes: number, minShare: number, signal: AbortSignal) =>
    ask<TreeAnswer>(
      addressOf("tree", {
        path: queryOf(path),
        measure,
        depth: 16,
        nodes,
        min_share: minShare.toFixed(9),
      }),
      { signal },
      "fathom:reply",
    ),

  children: (
    path: Path,
    measure: Measure,
    sort: Sort,
    order: Order,
    page: Page,
    signal?: AbortSignal,
  ) =>
    ask<ChildrenAnswer>(
      addressOf("children", { path: queryOf(path), measure, sort, order, ...page }),
      { signal: signal ?? null },
    ),

  search: (query: string, path: Path, measure: Measure, page: Page, signal: AbortSignal) =>
    ask<SearchAnswer>(
      addressOf("search", { q: encodeURIComponent(query), path: queryOf(path), measure, ...page }),
      { signal },
    ),

  report: (kind: string, measure: Measure, page: Page, count?: number, signal?: AbortSignal) =>
    ask<Report>(
      addressOf(`reports/${kind}`, {
        measure: measure === "apparent" ? "apparent" : "disk",
        count,
        ...page,
      }),
      { signal: signal ?? null },
    ),

  duplicates: (page: Page, signal: AbortSignal) =>
    ask<Duplicates>(addressOf("duplicates", { ...page }), { signal }),

  findDuplicates: () => ask<Duplicates>("api/1/duplicates", { method: "POST" }),

  rescan: () => ask<Status>("api/1/rescan", { method: "POST" }),
};

/** The bytes of an entry by the measure. Exclusive sizes are unknown while a scan runs. */
export function bytesBy(entry: Entry, measure: Measure): number {
  if (measure === "apparent") return entry.apparent_bytes;
  return measure === "exclusive" ? (entry.exclusive_bytes ?? entry.disk_bytes) : entry.disk_bytes;
}
