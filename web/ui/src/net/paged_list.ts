// A list at the server, of which the rows near the visible ones are here.
//
// All rows here are of one snapshot of the scan: an answer about a newer one replaces them all. The
// rows that are visible stay where they are, and are requested again by refresh().

import { signal } from "@preact/signals-core";

import { Slot } from "./slot";

/** A part of a list. */
export interface Part<Row> {
  readonly generation: number;
  readonly total: number;
  readonly offset: number;
  readonly rows: readonly Row[];
}

export interface Page {
  readonly offset: number;
  readonly limit: number;
  /** The name of an entry: the server chooses the offset so that the part contains it. */
  readonly around?: string;
}

const pageSize = 100;
const mostAtOnce = 1000;

export class PagedList<Row> {
  /** Increases with each change of the rows. */
  readonly version = signal(0);
  total = 0;
  /** Whether an answer has arrived since the last restart. */
  loaded = false;

  private generation = -1;
  private rows = new Map<number, Row>();
  private wanted = { from: 0, to: pageSize };
  // By the request that is pending; none if it is for an entry, whose place only the server knows.
  private asked = { from: 0, to: 0 };
  private readonly slot = new Slot();

  /** `failed` gets the error of a request; after a restart, the list is empty then. */
  constructor(
    private readonly ask: (page: Page, signal: AbortSignal) => Promise<Part<Row>>,
    private readonly failed: (error: unknown) => void,
  ) {}

  row(at: number): Row | undefined {
    return this.rows.get(at);
  }

  /** The index of a row that is here; -1 if there is none. */
  find(isIt: (row: Row) => boolean): number {
    for (const [at, row] of this.rows) if (isIt(row)) return at;
    return -1;
  }

  /** The list is another one: requests its first rows. The old ones stay until the answer. */
  restart(): Promise<void> {
    this.loaded = false;
    this.wanted = { from: 0, to: pageSize };
    return this.load(true);
  }

  /** There is a newer snapshot: requests the visible rows again. */
  refresh(): Promise<void> {
    return this.load(true);
  }

  /** The rows from `from` to before `to` are visible: requests those that are missing. */
  want(from: number, to: number): void {
    this.wanted = { from, to: Math.max(to, from + 1) };
    if (this.loaded && this.lacksWanted(this.slot.busy ? this.asked : undefined))
      void this.load(false);
  }

  /** Loads the part that contains the entry. Returns its index, or -1 if it is not there. */
  async seek(name: string, isIt: (row: Row) => boolean): Promise<number> {
    const here = this.find(isIt);
    if (here >= 0) return here;
    await this.load(false, name);
    return this.find(isIt);
  }

  /** Forgets everything. */
  clear(): void {
    this.slot.clear();
    this.rows.clear();
    this.total = 0;
    this.loaded = false;
    this.version.value++;
  }

  // Whether wanted rows are neither here nor among those that will come.
  private lacksWanted(coming = { from: 0, to: 0 }): boolean {
    const end = Math.min(this.wanted.to, this.total);
    for (let at = this.wanted.from; at < end; ++at) {
      const comes = coming.from <= at && at < coming.to;
      if (!comes && !this.rows.has(at)) return true;
    }
    return false;
  }

  // From the wanted rows on or, unless they are loaded anew, from the first one that is not here: an
  // answer may have fewer rows than requested.
  private page(anew: boolean, around: string | undefined): Page {
    let offset = Math.floor(this.wanted.from / pageSize) * pageSize;
    while (!anew && this.rows.has(offset)) ++offset;
    const end = Math.ceil(this.wanted.to / pageSize) * pageSize;
    const limit = Math.min(mostAtOnce, Math.max(pageSize, end - offset));
    return around === undefined ? { offset, limit } : { offset: 0, limit, around };
  }

  // Whether the next request differs from the last one: an answer without rows would lack them again,
  // and an error would come again.
  private asksOther(): boolean {
    const { offset, limit } = this.page(false, undefined);
    return offset !== this.asked.from || offset + limit !== this.asked.to;
  }

  private async load(anew: boolean, around?: string): Promise<void> {
    const page = this.page(anew, around);
    const { offset, limit } = page;
    this.asked = around === undefined ? { from: offset, to: offset + limit } : { from: 0, to: 0 };
    try {
      const part = await this.slot.take((abort) => this.ask(page, abort));
      if (part) this.fill(part, anew);
    } catch (error) {
      if (!this.loaded) this.clear();
      this.failed(error);
      this.loadMissing(); // this request may have replaced one for them
    }
  }

  private fill(part: Part<Row>, anew: boolean): void {
    if (anew || part.generation !== this.generation) this.rows = new Map();
    this.generation = part.generation;
    this.total = part.total;
    this.loaded = true;
    part.rows.forEach((row, at) => {
      this.rows.set(part.offset + at, row);
    });
    this.version.value++; // the views may want other rows now
    this.loadMissing();
  }

  private loadMissing(): void {
    if (!this.slot.busy && this.lacksWanted() && this.asksOther()) void this.load(false);
  }
}
