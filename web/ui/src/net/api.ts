// The requests of docs/HTTP.md. All URLs are relative, so the page works below any address. The types
// are generated from docs/openapi.json.

import type { components, paths } from "../../generated/openapi";
import type { Measure, Order, Sort } from "../address";
import { type Path, queryOf } from "../data/path";

type Schemas = components["schemas"];
export type Entry = Schemas["Entry"];
export type Status = Schemas["Status"];
export type ChildrenAnswer = Schemas["Children"];
export type TreeNode = Schemas["TreeNode"];
export type TreeAnswer = Schemas["Tree"];
export type FoundEntry = Schemas["FoundEntry"];
export type SearchAnswer = Schemas["Search"];
export type Duplicates = Schemas["Duplicates"];
export type Column = Schemas["Column"];

type ReportAddress = Extract<keyof paths, `/api/1/reports/${string}`>;
export type ReportKind = ReportAddress extends `/api/1/reports/${infer Kind}` ? Kind : never;
export type Report = Body<Get<ReportAddress>>;
/** A row of any report: its columns say what it contains. */
export type Row = Readonly<Record<string, unknown>>;

// The types of a request in the description: of its operation, its parameters and its answer.
type Get<Address extends keyof paths> = NonNullable<paths[Address]["get"]>;
type Post<Address extends keyof paths> = NonNullable<paths[Address]["post"]>;
type Query<Operation> = Operation extends { parameters: { query?: infer Given } }
  ? NonNullable<Given>
  : never;
type Json<Content> = { content: { "application/json": Content } };
type Body<Operation> = Operation extends {
  responses: { 200: Json<infer Content> } | { 202: Json<infer Content> };
}
  ? Content
  : never;

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

/** The values of the query are percent-encoded already. */
function get<Address extends keyof paths>(
  address: Address,
  query: Query<Get<Address>> | undefined,
  signal?: AbortSignal,
  mark?: string,
): Promise<Body<Get<Address>>> {
  const parameters = Object.entries(query ?? {})
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${value}`);
  const text = parameters.length > 0 ? `?${parameters.join("&")}` : "";
  return ask(`${address.slice(1)}${text}`, { signal: signal ?? null }, mark);
}

function post<Address extends keyof paths>(address: Address): Promise<Body<Post<Address>>> {
  return ask(address.slice(1), { method: "POST" });
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
}

/** The requests of the page. Reports support neither exclusive sizes nor a directory. */
export const api = {
  status: () => get("/api/1/status", undefined),

  tree: (path: Path, measure: Measure, nodes: number, minShare: number, signal: AbortSignal) =>
    get(
      "/api/1/tree",
      {
        path: queryOf(path),
        measure,
        depth: 16,
        nodes,
        min_share: Number(minShare.toFixed(9)),
      },
      signal,
      "fathom:reply",
    ),

  children: (
    path: Path,
    measure: Measure,
    sort: Sort,
    order: Order,
    page: Page,
    signal?: AbortSignal,
  ) => get("/api/1/children", { path: queryOf(path), measure, sort, order, ...page }, signal),

  search: (query: string, path: Path, measure: Measure, page: Page, signal: AbortSignal) =>
    get(
      "/api/1/search",
      { q: encodeURIComponent(query), path: queryOf(path), measure, ...page },
      signal,
    ),

  report: (
    kind: ReportKind,
    measure: Measure,
    page: Page,
    count?: number,
    signal?: AbortSignal,
  ): Promise<Report> =>
    get(
      `/api/1/reports/${kind}`,
      { measure: measure === "apparent" ? "apparent" : "disk", count, ...page },
      signal,
    ),

  owners: (page: Page) => get("/api/1/reports/owners", page),

  duplicates: (page: Page, signal: AbortSignal) => get("/api/1/duplicates", page, signal),

  findDuplicates: () => post("/api/1/duplicates"),

  rescan: () => post("/api/1/rescan"),
};

/** The bytes of an entry by the measure. Exclusive sizes are unknown while a scan runs. */
export function bytesBy(entry: Entry, measure: Measure): number {
  if (measure === "apparent") return entry.apparent_bytes;
  return measure === "exclusive" ? (entry.exclusive_bytes ?? entry.disk_bytes) : entry.disk_bytes;
}
