// The layout of a treemap: nested boxes, each directory divided by its split tree.

import { Branches, type Place } from "../data/colour";
import { classOfEntry, type FileClass } from "../data/file_class";
import { joinPath, type Path, pathOf } from "../data/path";
import type { TreeNode } from "../net/api";
import { SplitTree } from "./split_tree";

export interface Rect {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A node of the map: of the scan, or of a comparison, which has the sizes before and after. */
export interface MapNode extends Omit<TreeNode, "children"> {
  readonly children?: readonly MapNode[];
  readonly change?: { readonly before: number; readonly after: number };
}

/** A rectangle of the treemap. */
export interface Box extends Rect {
  readonly key: string; // unique, and the same in the next scene
  readonly path: Path; // of the entry; for a rest, of its directory
  readonly names: readonly Path[]; // more than one if directories with one entry are folded
  readonly node: MapNode;
  readonly rest: { readonly entries: number; readonly bytes: number } | undefined; // set for a rest
  readonly bytes: number;
  readonly depth: number;
  readonly parent: number; // index of the box of its directory; -1 for the first
  readonly header: number; // height of the line with its name; 0 without one
  readonly divided: boolean; // whether it contains boxes
  readonly place: Place;
}

/** The boxes of a directory and its descendants, parents before children. */
export interface Scene {
  readonly root: Path;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly places: ReadonlyMap<string, number>; // indices, by key; also of folded directories
}

/** The mean aspect ratio from which on a directory is laid out anew. */
const mostAspect = 2;

/** What stays from one scene to the next: the split trees, and the numbers of branches. */
export class LayoutMemory {
  private readonly trees = new Map<Path, SplitTree>();

  constructor(readonly branches = new Branches()) {}

  treeOf(directory: Path): SplitTree {
    let tree = this.trees.get(directory);
    if (!tree) {
      tree = new SplitTree();
      this.trees.set(directory, tree);
    }
    return tree;
  }

  /** The next scene is squarified anew; branches keep their colours. */
  tidy(): void {
    this.trees.clear();
  }
}

const headerHeight = 18;
const leastForHeader = { width: 72, height: 56 };
const leastForPadding = 14;
const leastDivided = 9; // pixels of the shorter side
const leastShown = 0.75; // pixels
const dominantShare = 0.6;

interface Item {
  readonly node: MapNode; // the last directory of a chain
  readonly path: Path;
  readonly names: readonly Path[];
  readonly chain: readonly Path[]; // the paths of the folded directories
  readonly rest: boolean;
  readonly bytes: number;
}

function isDivided({ node, rest }: Item): boolean {
  return !rest && node.children !== undefined && node.children.length > 0;
}

function onlyDirectoryIn({ children = [], rest }: MapNode): MapNode | undefined {
  const [only, more] = children;
  return !more && only?.kind === "directory" && !rest?.entries ? only : undefined;
}

/**
 * The directories at the ends of chains whose entries the tree does not have, if they have that
 * share of all bytes. A chain is one box however long it is, so a tree may be too short for it.
 */
export function chainEnds(root: MapNode, path: Path, leastShare: number) {
  const ends: { path: Path; node: MapNode }[] = [];
  const waiting = [{ path, node: root }];
  for (const { path, node } of waiting) {
    const only = onlyDirectoryIn(node);
    for (const child of node.children ?? []) {
      const at = { path: joinPath(path, pathOf(child.name, child.name_b64)), node: child };
      if (child.children) waiting.push(at);
      else if (child === only && child.bytes > leastShare * root.bytes) ends.push(at);
    }
  }
  return ends;
}

// A directory whose only entry is a directory folds into it.
function itemOf(top: MapNode, directory: Path): Item {
  let node = top;
  const name = pathOf(top.name, top.name_b64);
  let path = joinPath(directory, name);
  const names = [name];
  const chain: Path[] = [];
  for (let only = onlyDirectoryIn(node); only; only = onlyDirectoryIn(node)) {
    chain.push(path);
    const inner = pathOf(only.name, only.name_b64);
    path = joinPath(path, inner);
    names.push(inner);
    node = only;
  }
  return { node, path, names, chain, rest: false, bytes: top.bytes };
}

function itemsIn(item: Item): Item[] {
  if (!isDivided(item)) return [];
  const { node, path } = item;
  const items = node.children!.map((child) => itemOf(child, path));
  if (node.rest && node.rest.bytes > 0) {
    items.push({ node, path, names: [], chain: [], rest: true, bytes: node.rest.bytes });
  }
  return items;
}

/** An item with its place, which is set once that of its directory is. */
interface Placed {
  readonly item: Item;
  readonly parent: Placed | undefined;
  readonly depth: number;
  readonly children: Placed[];
  rect: Rect;
}

const nowhere: Rect = { x0: 0, y0: 0, x1: 0, y1: 0 };

// All items, each before those in it; in a directory the largest first, the rest last.
function itemsFrom(top: Item): Placed[] {
  const all: Placed[] = [];
  const waiting: Placed[] = [
    { item: top, parent: undefined, depth: 0, children: [], rect: nowhere },
  ];
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    all.push(place);
    const parent = place;
    for (const item of itemsIn(place.item))
      parent.children.push({ item, parent, depth: parent.depth + 1, children: [], rect: nowhere });
    parent.children.sort(
      ({ item: a }, { item: b }) => Number(a.rest) - Number(b.rest) || b.bytes - a.bytes,
    );
    waiting.push(...[...parent.children].reverse());
  }
  return all;
}

const widthOf = ({ x0, x1 }: Rect) => x1 - x0;
const heightOf = ({ y0, y1 }: Rect) => y1 - y0;
const shorterSide = (rect: Rect) => Math.min(widthOf(rect), heightOf(rect));

// The rectangle without its margins; what is too small becomes a line in the middle.
function inset({ x0, y0, x1, y1 }: Rect, side: number, top = side): Rect {
  const x = (x0 + x1) / 2;
  const y = (y0 + top + y1 - side) / 2;
  return {
    x0: Math.min(x0 + side, x),
    y0: Math.min(y0 + top, y),
    x1: Math.max(x1 - side, x),
    y1: Math.max(y1 - side, y),
  };
}

function headerOf({ depth, rect }: Placed): number {
  // Headers below each other leave little of the boxes: the deeper, the more must remain.
  const least = leastForHeader.height + 14 * Math.max(0, depth - 2);
  const roomy = widthOf(rect) >= leastForHeader.width && heightOf(rect) >= least;
  return depth > 0 && roomy ? headerHeight : 0;
}

function paddingOf({ depth, rect }: Placed): number {
  if (depth === 0) return 0;
  return shorterSide(rect) < leastForPadding ? 0.5 : depth <= 2 ? 2 : 1;
}

// Among many small rectangles, even gaps of one pixel would take most of the area.
function gapIn({ rect, children }: Placed): number {
  return Math.min(1, Math.sqrt((widthOf(rect) * heightOf(rect)) / children.length) / 12);
}

export function keyOf(path: Path, rest: boolean): string {
  return rest ? `${path}//` : path; // no path ends in two slashes
}

function hashOf(path: Path): number {
  let hash = 7;
  for (let at = 0; at < path.length; ++at) hash = (hash * 31 + path.charCodeAt(at)) | 0;
  return Math.abs(hash);
}

// One of five, the same for all entries of a directory: -1, -0.5, 0, 0.5 or 1.
function shadeOf(directory: Path): number {
  return (hashOf(directory) % 5) / 2 - 1;
}

// That of the directory, and a little of the entry itself, so that neighbours differ, too.
function shadeIn(directory: Path, key: string): number {
  return 0.7 * shadeOf(directory) + 0.3 * ((hashOf(key) % 3) - 1);
}

// The class of most bytes of the known files in each directory. One that is not divided counts as
// what its largest file is; one without files is like the directory around it.
function dominantClasses(items: readonly Placed[]): Map<Placed, FileClass> {
  const sums = new Map<Placed, Map<FileClass, number>>();
  const dominant = new Map<Placed, FileClass>();
  const add = (place: Placed, name: FileClass, bytes: number) => {
    const own = sums.get(place) ?? new Map<FileClass, number>();
    own.set(name, (own.get(name) ?? 0) + bytes);
    sums.set(place, own);
  };
  for (const place of [...items].reverse()) {
    const { node, rest, bytes } = place.item;
    const own = sums.get(place);
    if (own) {
      const known = [...own.values()].reduce((all, sum) => all + sum, 0);
      for (const [name, sum] of own) {
        if (sum >= dominantShare * known) dominant.set(place, name);
        if (place.parent) add(place.parent, name, sum);
      }
    } else if (!rest) {
      const file = node.kind === "directory" ? node.largest_file : node;
      if (!file) continue;
      const name = classOfEntry({ kind: "file", ...file });
      dominant.set(place, name);
      if (place.parent) add(place.parent, name, bytes);
    }
  }
  for (const place of items) {
    const around = place.parent && dominant.get(place.parent);
    if (around && !dominant.has(place)) dominant.set(place, around);
  }
  return dominant;
}

// Places the children of the item by the split tree of the directory, with half a gap around each.
function divide(parent: Placed, memory: LayoutMemory): void {
  const { item, rect, children } = parent;
  if (children.length === 0) return;
  const padding = paddingOf(parent);
  const half = gapIn(parent) / 2;
  const keyOfItem = ({ path, rest }: Item) => keyOf(path, rest);
  const entries = children.map((child) => ({
    key: keyOfItem(child.item),
    weight: Math.max(child.item.bytes, Number.MIN_VALUE),
  }));
  const room = inset(rect, padding - half, (headerOf(parent) || padding) - half);
  const places = memory.treeOf(item.path).place(entries, room, mostAspect);
  for (const child of children) child.rect = inset(places.get(keyOfItem(child.item))!, half);
}

export function layOut(
  root: MapNode,
  path: Path,
  width: number,
  height: number,
  memory = new LayoutMemory(),
): Scene {
  const top: Item = { node: root, path, names: [], chain: [], rest: false, bytes: root.bytes };
  const items = itemsFrom(top);
  items[0]!.rect = { x0: 0, y0: 0, x1: width, y1: height };
  for (const place of items) divide(place, memory);
  const dominant = dominantClasses(items);

  const boxes: Box[] = [];
  const places = new Map<string, number>();
  const placeOf = new Map<Placed, number>();
  const branches: { branch: number; twig: number }[] = [];
  for (const place of items) {
    const { rect, depth } = place;
    const parent = place.parent ? placeOf.get(place.parent) : -1;
    const shortest = shorterSide(rect);
    if (parent === undefined || (shortest < leastShown && depth > 0)) continue;
    const { node, path: itsPath, names, chain, rest, bytes } = place.item;
    const key = keyOf(itsPath, rest);
    const divided = place.children.length > 0 && (depth === 0 || shortest >= leastDivided);
    const around = branches[parent] ?? { branch: 0, twig: 0 };
    const branch = depth === 1 ? memory.branches.of(path, chain[0] ?? key) : around.branch;
    const twig = depth === 2 ? shadeOf(key) : around.twig;
    const at = boxes.length;
    branches.push({ branch, twig });
    if (divided) placeOf.set(place, at);
    places.set(key, at);
    for (const folded of chain) places.set(folded, at);
    boxes.push({
      key,
      path: itsPath,
      names,
      node,
      rest: rest ? node.rest : undefined,
      bytes,
      ...rect,
      depth,
      parent,
      header: divided ? headerOf(place) : 0,
      divided,
      place: {
        depth,
        branch,
        twig,
        shade: shadeIn(place.parent?.item.path ?? path, key),
        fileClass: dominant.get(place),
      },
    });
  }
  return { root: path, width, height, boxes, places };
}

/** The index of the innermost box at the point; -1 if there is none. */
export function boxAt(scene: Scene, x: number, y: number): number {
  for (let at = scene.boxes.length - 1; at >= 0; --at) {
    const box = scene.boxes[at]!;
    if (box.x0 <= x && x < box.x1 && box.y0 <= y && y < box.y1) return at;
  }
  return -1;
}

export type Direction = "left" | "right" | "up" | "down";

/** The index of the nearest box of the same directory in that direction; -1 if there is none. */
export function neighbour(scene: Scene, from: number, direction: Direction): number {
  const start = scene.boxes[from]!;
  const middle = (box: Rect) => ({ x: (box.x0 + box.x1) / 2, y: (box.y0 + box.y1) / 2 });
  const here = middle(start);
  let nearest = -1;
  let least = Infinity;
  scene.boxes.forEach((box, at) => {
    if (at === from || box.parent !== start.parent) return;
    const ahead = {
      left: start.x0 - box.x1,
      right: box.x0 - start.x1,
      up: start.y0 - box.y1,
      down: box.y0 - start.y1,
    }[direction];
    if (ahead < -1) return;
    const there = middle(box);
    const sideways =
      direction === "left" || direction === "right"
        ? Math.max(box.y0 - here.y, here.y - box.y1, 0) + Math.abs(there.y - here.y) / 1000
        : Math.max(box.x0 - here.x, here.x - box.x1, 0) + Math.abs(there.x - here.x) / 1000;
    const distance = Math.max(ahead, 0) + 2 * sideways;
    if (distance < least) {
      least = distance;
      nearest = at;
    }
  });
  return nearest;
}
