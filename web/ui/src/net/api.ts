// The requests of docs/HTTP.md. All URLs are relative, so the page works below any address. The types
// are generated from docs/openapi.json.

import type { components, paths } from "../../generated/openapi";
import { binaryOf, decodePath, type Path, queryOf } from "../data/path";
import type { Measure, Order, Sort } from "../state/address";
import type { Page } from "./paged_list";

type Schemas = components["schemas"];
export type Entry = Schemas["Entry"];
export type Status = Schemas["Status"];
export type ChildrenAnswer = Schemas["Children"];
export type TreeNode = Schemas["TreeNode"];
export type FoundEntry = Schemas["FoundEntry"];
export type Duplicates = Schemas["Duplicates"];
export type Column = Schemas["Column"];

type ReportAddress = Extract<keyof paths, `/api/1/reports/${string}`>;
export type ReportKind = ReportAddress extends `/api/1/reports/${infer Kind}` ? Kind : never;
export type Report = Body<Get<ReportAddress>>;
export type Snapshot = Schemas["Snapshot"];
export type Growth = Schemas["Growth"];
export type Diff = Schemas["Diff"];
export type PlanSums = Schemas["PlanSums"];
export type PlanReview = Schemas["PlanReview"];
export type Clean = Schemas["Clean"];
export type CleanItem = Schemas["CleanItem"];
export type Applied = Schemas["Applied"];
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

/** A path as the interface has it. */
interface Journal {
  readonly journal: string;
  readonly journal_b64?: string | undefined;
}

/** An error response. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
    /** Of a run that ended in an error, although it may have moved something. */
    readonly journal?: Journal | undefined,
  ) {
    super(message);
  }
}

/** No response: the server has stopped, or cannot be reached. */
export class Unreachable extends Error {}

/** The answer; undefined if the server does not know it (404), or responds with one of the others. */
export async function ifKnown<T>(
  question: Promise<T>,
  ...others: readonly number[]
): Promise<T | undefined> {
  try {
    return await question;
  } catch (error) {
    if (error instanceof Refusal && [404, ...others].includes(error.status)) return undefined;
    throw error;
  }
}

async function refusalOf(response: Response): Promise<Refusal> {
  const { status } = response;
  try {
    const { error } = (await response.json()) as Schemas["Error"];
    const { message, journal, journal_b64 } = error;
    if (typeof message === "string")
      return new Refusal(
        status,
        message,
        journal === undefined ? undefined : { journal, journal_b64 },
      );
  } catch {
    // The body is not from this interface; the status is enough.
  }
  return new Refusal(status, `the server responded with status ${status}`);
}

async function text(address: string, init: RequestInit): Promise<string> {
  try {
    // no-cache: a cached response is revalidated by its ETag.
    const options = { cache: "no-cache", credentials: "same-origin", ...init } as const;
    const response = await fetch(address, options);
    if (!response.ok) throw await refusalOf(response);
    return await response.text();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw new Unreachable(String(error));
  }
}

/** Sets the performance mark when the whole response has arrived, before it is parsed. */
async function ask<T>(address: string, init: RequestInit, mark?: string): Promise<T> {
  const body = await text(address, init);
  if (mark !== undefined) {
    performance.clearMarks(mark);
    performance.mark(mark);
  }
  return JSON.parse(body) as T;
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
  const question = parameters.length > 0 ? `?${parameters.join("&")}` : "";
  return ask(`${address.slice(1)}${question}`, { signal: signal ?? null }, mark);
}

function post<Address extends keyof paths>(
  address: Address,
  body?: unknown,
  signal?: AbortSignal,
): Promise<Body<Post<Address>>> {
  return ask(address.slice(1), request(body, signal));
}

function request(body: unknown, signal: AbortSignal | undefined): RequestInit {
  if (body === undefined) return { method: "POST", signal: signal ?? null };
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body), signal: signal ?? null };
}

// A part of a list; without `around`, from the offset.
function listed({ offset, limit, around }: Page) {
  return around === undefined ? { offset, limit } : { limit, around };
}

/** A path in the body of a request. */
function given(path: Path): { path_b64: string } {
  return { path_b64: btoa(binaryOf(decodePath(path))) };
}

/** What to do with the entries of a plan. */
export type Act = "quarantine" | "trash" | "delete";

/** The requests of the page. */
export const api = {
  status: () => get("/api/1/status", undefined),

  tree: (
    path: Path,
    measure: Measure,
    depth: number,
    nodes: number,
    minShare: number,
    signal: AbortSignal,
  ) =>
    get(
      "/api/1/tree",
      { path: queryOf(path), measure, depth, nodes, min_share: Number(minShare.toFixed(9)) },
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
  ) =>
    get("/api/1/children", { path: queryOf(path), measure, sort, order, ...listed(page) }, signal),

  /** The time of the last change at or below the path. */
  newest: async (path: Path, signal: AbortSignal): Promise<number | null> => {
    const query = { path: queryOf(path), depth: 1, nodes: 1 };
    return (await get("/api/1/tree", query, signal)).root.newest;
  },

  search: (query: string, path: Path, measure: Measure, page: Page, signal: AbortSignal) =>
    get(
      "/api/1/search",
      { q: encodeURIComponent(query), path: queryOf(path), measure, ...listed(page) },
      signal,
    ),

  /** Reports do not support exclusive sizes. */
  report: <Kind extends ReportKind>(
    kind: Kind,
    path: Path,
    measure: Measure,
    page: Page,
    signal?: AbortSignal,
    count?: number,
  ): Promise<Body<Get<`/api/1/reports/${Kind}`>>> =>
    get<`/api/1/reports/${Kind}`>(
      `/api/1/reports/${kind}`,
      {
        measure: measure === "apparent" ? "apparent" : "disk",
        count,
        path: queryOf(path),
        ...listed(page),
      } as Query<Get<`/api/1/reports/${Kind}`>>,
      signal,
    ),

  duplicates: (path: Path, page: Page, signal?: AbortSignal) =>
    get("/api/1/duplicates", { path: queryOf(path), ...listed(page) }, signal),

  findDuplicates: () => post("/api/1/duplicates"),

  clean: (path: Path, page: Page, signal?: AbortSignal) =>
    get("/api/1/clean", { path: queryOf(path), ...listed(page) }, signal),

  findClean: () => post("/api/1/clean"),

  snapshots: (path: Path, signal?: AbortSignal) =>
    get("/api/1/snapshots", { path: queryOf(path), limit: 1000 }, signal),

  growth: (path: Path, measure: Measure, depth: number, signal?: AbortSignal) =>
    get("/api/1/growth", { path: queryOf(path), depth, measure: byReport(measure) }, signal),

  /** `top` is the maximum length of each list. */
  diff: (
    path: Path,
    from: string,
    to: string,
    measure: Measure,
    top: number,
    signal?: AbortSignal,
  ) =>
    get("/api/1/diff", { path: queryOf(path), from, to, top, measure: byReport(measure) }, signal),

  /** The entries of a directory in a snapshot, the largest first. */
  past: (path: Path, snapshot: string, measure: Measure, signal?: AbortSignal) =>
    get(
      "/api/1/children",
      { path: queryOf(path), measure, sort: "size", limit: 1000, snapshot },
      signal,
    ),

  planSums: (paths: readonly Path[], signal?: AbortSignal) =>
    post("/api/1/plan/sums", { paths: paths.map(given) }, signal),

  planReview: (paths: readonly Path[], act: Act, signal?: AbortSignal) =>
    post("/api/1/plan/review", { paths: paths.map(given), do: act }, signal),

  /** The plan as a file. */
  planDraft: (paths: readonly Path[], act: Act): Promise<string> =>
    text("api/1/plan/draft", request({ paths: paths.map(given), do: act }, undefined)),

  planApply: (digest: string, items: number, code: string) =>
    post("/api/1/plan/apply", { digest, items, code }),

  planUndo: (journal: string, base64: string | undefined, code: string) =>
    post(
      "/api/1/plan/undo",
      base64 === undefined ? { journal, code } : { journal_b64: base64, code },
    ),

  rescan: () => post("/api/1/rescan"),

  /** Cancels the search that is running. */
  cancel: () => post("/api/1/cancel"),
};

// Reports about snapshots know no exclusive sizes.
function byReport(measure: Measure): "disk" | "apparent" {
  return measure === "apparent" ? "apparent" : "disk";
}

/** The bytes of an entry by the measure. Exclusive sizes are unknown while a scan runs. */
export function bytesBy(entry: Entry, measure: Measure): number {
  if (measure === "apparent") return entry.apparent_bytes;
  return measure === "exclusive" ? (entry.exclusive_bytes ?? entry.disk_bytes) : entry.disk_bytes;
}
