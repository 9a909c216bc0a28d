// A stable layout of one directory: a tree of splits that is kept while the directory changes.
//
// It begins as the squarified layout (Bruls, Huizing and van Wijk). Later, each entry keeps its
// place, in proportion to its new size; a new entry splits the box that stays squarest, and the
// neighbours of a removed one grow. When the boxes become too long, the tree is built anew.

import type { Rect } from "./layout";

/** An entry of the directory. */
export interface Weighted {
  readonly key: string;
  readonly weight: number; // more than 0
}

interface Leaf {
  readonly key: string;
  weight: number;
  rect: Rect;
}

// The parts are beside each other, or one below the other.
interface Split {
  beside: boolean;
  parts: Part[];
  weight: number;
  rect: Rect;
}

type Part = Leaf | Split;

const wanted = 1.2; // the aspect ratio that a row of the squarified layout aims at
const mostNewcomers = 0.5; // a larger share of new entries is another directory

const nowhere: Rect = { x0: 0, y0: 0, x1: 0, y1: 0 };

function isSplit(part: Part): part is Split {
  return "parts" in part;
}

export function aspectOf({ x0, y0, x1, y1 }: Rect): number {
  const [short, long] = [x1 - x0, y1 - y0].sort((a, b) => a - b) as [number, number];
  return short > 0 ? long / short : Infinity;
}

export class SplitTree {
  private root: Part | undefined;
  private leaves = new Map<string, Leaf>();

  /** The places of the entries in the rectangle. Their mean aspect ratio is at most the limit, if that is possible. */
  place(entries: readonly Weighted[], around: Rect, limit: number): ReadonlyMap<string, Rect> {
    const known = this.keep(entries);
    if (!known) this.build(entries, around);
    this.assign(around);
    if (known) {
      this.insert(entries.filter(({ key }) => !this.leaves.has(key)));
      this.assign(around);
      if (this.meanAspect() > limit) {
        this.build(entries, around);
        this.assign(around);
      }
    }
    const places = new Map<string, Rect>();
    for (const { key, rect } of this.leaves.values()) places.set(key, rect);
    return places;
  }

  // Removes what has gone and sets the weights. False if too little of the tree remains.
  private keep(entries: readonly Weighted[]): boolean {
    if (!this.root) return false;
    const weights = new Map(entries.map(({ key, weight }) => [key, weight]));
    for (const [key, leaf] of this.leaves) {
      const weight = weights.get(key);
      if (weight === undefined) this.leaves.delete(key);
      else leaf.weight = weight;
    }
    if (entries.length - this.leaves.size > mostNewcomers * entries.length) return false;
    this.prune();
    return true;
  }

  // The parts from the root on, each before those in it.
  private all(): Part[] {
    const parts: Part[] = this.root ? [this.root] : [];
    for (let at = 0; at < parts.length; ++at) {
      const part = parts[at]!;
      if (isSplit(part)) parts.push(...part.parts);
    }
    return parts;
  }

  private prune(): void {
    for (const split of this.all().reverse()) {
      if (!isSplit(split)) continue;
      const alive = split.parts.filter((part) =>
        isSplit(part) ? part.parts.length > 0 : this.leaves.get(part.key) === part,
      );
      // A split of one part is replaced by it.
      split.parts = alive.map((part) =>
        isSplit(part) && part.parts.length === 1 ? part.parts[0]! : part,
      );
    }
  }

  private assign(around: Rect): void {
    const parts = this.all();
    for (let at = parts.length - 1; at >= 0; --at) {
      const part = parts[at]!;
      if (isSplit(part)) part.weight = part.parts.reduce((sum, { weight }) => sum + weight, 0);
    }
    if (this.root) this.root.rect = around;
    for (const part of parts) if (isSplit(part)) divide(part);
  }

  private meanAspect(): number {
    let sum = 0;
    let count = 0;
    for (const { rect } of this.leaves.values()) {
      if ((rect.x1 - rect.x0) * (rect.y1 - rect.y0) < 16) continue; // too small to have a shape
      sum += Math.min(aspectOf(rect), 100);
      ++count;
    }
    return count > 0 ? sum / count : 1;
  }

  private insert(newcomers: readonly Weighted[]): void {
    const holders = new Map<Part, Split>();
    for (const part of this.all()) {
      if (isSplit(part)) for (const inner of part.parts) holders.set(inner, part);
    }
    for (const { key, weight } of newcomers) {
      const leaf: Leaf = { key, weight, rect: nowhere };
      const host = this.bestHost(weight);
      if (!host) {
        this.root = leaf;
      } else {
        const split: Split = {
          beside: isWide(host.rect),
          parts: [host, leaf],
          weight: host.weight + weight,
          rect: host.rect,
        };
        const holder = holders.get(host);
        if (holder) holder.parts[holder.parts.indexOf(host)] = split;
        else this.root = split;
        if (holder) holders.set(split, holder);
        holders.set(host, split);
        holders.set(leaf, split);
        divide(split);
      }
      this.leaves.set(key, leaf);
    }
  }

  // The leaf of which both halves are the squarest.
  private bestHost(weight: number): Leaf | undefined {
    let best: Leaf | undefined;
    let least = Infinity;
    for (const leaf of this.leaves.values()) {
      const share = leaf.weight / (leaf.weight + weight);
      const [one, other] = halves(leaf.rect, isWide(leaf.rect), share);
      // Among equal ones, an entry of about the same size is disturbed the least.
      const worst = Math.max(aspectOf(one), aspectOf(other)) + Math.abs(share - 0.5);
      if (worst < least) {
        least = worst;
        best = leaf;
      }
    }
    return best;
  }

  // The squarified layout as a tree: a row is split off the rest, and itself split into its boxes.
  private build(entries: readonly Weighted[], around: Rect): void {
    const sorted = [...entries];
    const leaves = sorted.map(({ key, weight }): Leaf => ({ key, weight, rect: nowhere }));
    this.leaves = new Map(leaves.map((leaf) => [leaf.key, leaf]));
    this.root = undefined;
    let holder: Split | undefined;
    let width = around.x1 - around.x0;
    let height = around.y1 - around.y0;
    let total = leaves.reduce((sum, { weight }) => sum + weight, 0);
    for (let at = 0; at < leaves.length; ) {
      const beside = width > height; // the row is a column at the left, then the rest
      const side = beside ? height : width;
      const scale = (width * height) / total; // pixels of one unit of weight
      const count = rowLength(leaves, at, side, scale);
      const row = leaves.slice(at, at + count);
      const sum = row.reduce((all, { weight }) => all + weight, 0);
      const line: Part =
        row.length === 1
          ? row[0]!
          : { beside: !beside, parts: [...row], weight: sum, rect: nowhere };
      at += count;
      const last = at >= leaves.length;
      const part: Part = last ? line : { beside, parts: [line], weight: total, rect: nowhere };
      if (holder) holder.parts.push(part);
      else this.root = part;
      if (!last) holder = part as Split;
      const thickness = side > 0 ? (sum * scale) / side : 0;
      if (beside) width = Math.max(0, width - thickness);
      else height = Math.max(0, height - thickness);
      total -= sum;
    }
  }
}

function isWide({ x0, y0, x1, y1 }: Rect): boolean {
  return x1 - x0 > y1 - y0;
}

function halves(rect: Rect, beside: boolean, share: number): [Rect, Rect] {
  if (beside) {
    const x = rect.x0 + (rect.x1 - rect.x0) * share;
    return [
      { ...rect, x1: x },
      { ...rect, x0: x },
    ];
  }
  const y = rect.y0 + (rect.y1 - rect.y0) * share;
  return [
    { ...rect, y1: y },
    { ...rect, y0: y },
  ];
}

function divide({ parts, rect, beside, weight }: Split): void {
  const { x0, y0, x1, y1 } = rect;
  let sum = 0;
  let from = beside ? x0 : y0;
  for (const part of parts) {
    sum += part.weight;
    const share = weight > 0 ? sum / weight : 1;
    const to = beside ? x0 + (x1 - x0) * share : y0 + (y1 - y0) * share;
    part.rect = beside ? { x0: from, y0, x1: to, y1 } : { x0, y0: from, x1, y1: to };
    from = to;
  }
}

// How many entries from `at` on make the row whose worst aspect ratio is the best.
function rowLength(leaves: readonly Leaf[], at: number, side: number, scale: number): number {
  let sum = 0;
  let least = Infinity;
  let most = 0;
  let best = Infinity;
  for (let end = at; end < leaves.length; ++end) {
    const area = leaves[end]!.weight * scale;
    sum += area;
    least = Math.min(least, area);
    most = Math.max(most, area);
    const thickness = side > 0 ? sum / side : 0;
    const ratioOf = (pixels: number) => (thickness * thickness * wanted) / pixels;
    const worst = Math.max(ratioOf(least), 1 / ratioOf(most), ratioOf(most), 1 / ratioOf(least));
    if (worst > best) return Math.max(1, end - at);
    best = worst;
  }
  return leaves.length - at;
}
