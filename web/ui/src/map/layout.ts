// The layout of a treemap: nested boxes, each directory divided by its split tree.

import { type HierarchyRectangularNode, hierarchy, treemap } from "d3-hierarchy";

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

// A directory whose only entry is a directory folds into it.
function itemOf(top: MapNode, directory: Path): Item {
  let node = top;
  const name = pathOf(top.name, top.name_b64);
  let path = joinPath(directory, name);
  const names = [name];
  const chain: Path[] = [];
  for (;;) {
    const [only, more] = node.children ?? [];
    if (!only || more || only.kind !== "directory" || (node.rest?.entries ?? 0) > 0) break;
    chain.push(path);
    const inner = pathOf(only.name, only.name_b64);
    path = joinPath(path, inner);
    names.push(inner);
    node = only;
  }
  return { node, path, names, chain, rest: false, bytes: top.bytes };
}

function itemsIn(item: Item): Item[] | undefined {
  if (!isDivided(item)) return undefined;
  const { node, path } = item;
  const items = node.children!.map((child) => itemOf(child, path));
  if (node.rest && node.rest.bytes > 0) {
    items.push({ node, path, names: [], chain: [], rest: true, bytes: node.rest.bytes });
  }
  return items;
}

type Placed = HierarchyRectangularNode<Item>;

function headerOf(place: Placed): number {
  const roomy =
    place.x1 - place.x0 >= leastForHeader.width && place.y1 - place.y0 >= leastForHeader.height;
  return place.depth > 0 && roomy ? headerHeight : 0;
}

function paddingOf(place: Placed): number {
  if (place.depth === 0) return 0;
  const roomy = Math.min(place.x1 - place.x0, place.y1 - place.y0) >= leastForPadding;
  return roomy ? (place.depth <= 2 ? 2 : 1) : 0.5;
}

// Among many small rectangles, even gaps of one pixel would take most of the area.
function gapIn(place: Placed): number {
  const area = (place.x1 - place.x0) * (place.y1 - place.y0);
  return Math.min(1, Math.sqrt(area / (place.children?.length ?? 1)) / 12);
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

// The class of most bytes of the known files in each directory. One without known files is like the
// directory around it.
function dominantClasses(items: Placed): Map<Placed, FileClass> {
  const sums = new Map<Placed, Map<FileClass, number>>();
  const dominant = new Map<Placed, FileClass>();
  const add = (place: Placed, name: FileClass, bytes: number) => {
    const own = sums.get(place) ?? new Map<FileClass, number>();
    own.set(name, (own.get(name) ?? 0) + bytes);
    sums.set(place, own);
  };
  items.eachAfter((place) => {
    const { node, rest, bytes } = place.data;
    const own = sums.get(place);
    if (own) {
      const known = [...own.values()].reduce((all, sum) => all + sum, 0);
      for (const [name, sum] of own) {
        if (sum >= dominantShare * known) dominant.set(place, name);
        if (place.parent) add(place.parent, name, sum);
      }
    } else if (!rest && node.kind !== "directory" && place.parent) {
      add(place.parent, classOfEntry(node), bytes);
    }
  });
  items.eachBefore((place) => {
    const around = place.parent && dominant.get(place.parent);
    if (around && !dominant.has(place)) dominant.set(place, around);
  });
  return dominant;
}

function tileWith(memory: LayoutMemory) {
  return (parent: Placed, x0: number, y0: number, x1: number, y1: number): void => {
    const keyOfChild = ({ data }: Placed) => keyOf(data.path, data.rest);
    const entries = parent.children!.map((child) => ({
      key: keyOfChild(child),
      weight: Math.max(child.value!, Number.MIN_VALUE),
    }));
    const tree = memory.treeOf(parent.data.path);
    const places = tree.place(entries, { x0, y0, x1, y1 }, mostAspect);
    for (const child of parent.children!) Object.assign(child, places.get(keyOfChild(child)));
  };
}

export function layOut(
  root: MapNode,
  path: Path,
  width: number,
  height: number,
  memory = new LayoutMemory(),
): Scene {
  const top: Item = { node: root, path, names: [], chain: [], rest: false, bytes: root.bytes };
  const items = hierarchy<Item>(top, itemsIn);
  items.sum((item) => (isDivided(item) ? 0 : item.bytes));
  items.sort((a, b) => Number(a.data.rest) - Number(b.data.rest) || b.value! - a.value!);
  const placed = treemap<Item>()
    .tile(tileWith(memory))
    .size([width, height])
    .paddingInner((place) => gapIn(place))
    .paddingOuter((place) => paddingOf(place))
    .paddingTop((place) => headerOf(place) || paddingOf(place))(items);
  const dominant = dominantClasses(placed);

  const boxes: Box[] = [];
  const places = new Map<string, number>();
  const placeOf = new Map<Placed, number>();
  const branches: { branch: number; twig: number }[] = [];
  placed.eachBefore((place) => {
    const parent = place.parent === null ? -1 : placeOf.get(place.parent);
    const tiny = place.x1 - place.x0 < leastShown || place.y1 - place.y0 < leastShown;
    if (parent === undefined || (tiny && place.depth > 0)) return;
    const { node, path: itsPath, names, chain, rest, bytes } = place.data;
    const key = keyOf(itsPath, rest);
    const shortest = Math.min(place.x1 - place.x0, place.y1 - place.y0);
    const divided = place.children !== undefined && (place.depth === 0 || shortest >= leastDivided);
    const around = branches[parent] ?? { branch: 0, twig: 0 };
    const branch = place.depth === 1 ? memory.branches.of(path, chain[0] ?? key) : around.branch;
    const twig = place.depth === 2 ? shadeOf(key) : around.twig;
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
      x0: place.x0,
      y0: place.y0,
      x1: place.x1,
      y1: place.y1,
      depth: place.depth,
      parent,
      header: divided ? headerOf(place) : 0,
      divided,
      place: {
        depth: place.depth,
        branch,
        twig,
        shade: shadeIn(place.parent?.data.path ?? path, key),
        fileClass: dominant.get(place),
      },
    });
  });
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
