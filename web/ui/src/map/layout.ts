// The layout of a treemap: squarified and nested (Bruls, Huizing and van Wijk, by d3-hierarchy).

import { type HierarchyRectangularNode, hierarchy, treemap, treemapSquarify } from "d3-hierarchy";

import { joinPath, type Path, pathOf } from "../data/path";
import type { TreeNode } from "../net/api";

export interface Rect {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

/** A rectangle of the treemap. */
export interface Box extends Rect {
  readonly key: string; // unique, and the same in the next scene
  readonly path: Path; // of the entry; for a rest, of its directory
  readonly node: TreeNode;
  readonly rest: { readonly entries: number; readonly bytes: number } | undefined; // set for a rest
  readonly bytes: number;
  readonly depth: number;
  readonly parent: number; // index of the box of its directory; -1 for the first
  readonly header: number; // height of the line with its name; 0 without one
  readonly divided: boolean; // whether it contains boxes
}

/** The boxes of a directory and its descendants, parents before children. */
export interface Scene {
  readonly root: Path;
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly places: ReadonlyMap<string, number>; // indices, by key
}

const headerHeight = 18;
const leastForHeader = { width: 44, height: 44 };
const leastForPadding = 14;
const leastShown = 0.75; // pixels

interface Item {
  readonly node: TreeNode;
  readonly path: Path;
  readonly rest: boolean;
}

function isDivided({ node, rest }: Item): boolean {
  return !rest && node.children !== undefined && node.children.length > 0;
}

function itemsIn(item: Item): Item[] | undefined {
  if (!isDivided(item)) return undefined;
  const { node, path } = item;
  const items: Item[] = node.children!.map((child) => ({
    node: child,
    path: joinPath(path, pathOf(child.name, child.name_b64)),
    rest: false,
  }));
  if (node.rest && node.rest.bytes > 0) items.push({ node, path, rest: true });
  return items;
}

function bytesIn({ node, rest }: Item): number {
  return rest ? node.rest!.bytes : node.bytes;
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

export function layOut(root: TreeNode, path: Path, width: number, height: number): Scene {
  const items = hierarchy<Item>({ node: root, path, rest: false }, itemsIn);
  items.sum((item) => (isDivided(item) ? 0 : bytesIn(item)));
  items.sort((a, b) => Number(a.data.rest) - Number(b.data.rest) || b.value! - a.value!);
  const placed = treemap<Item>()
    .tile(treemapSquarify.ratio(1.2))
    .size([width, height])
    .paddingInner((place) => gapIn(place))
    .paddingOuter((place) => paddingOf(place))
    .paddingTop((place) => headerOf(place) || paddingOf(place))(items);

  const boxes: Box[] = [];
  const places = new Map<string, number>();
  const placeOf = new Map<Placed, number>();
  placed.eachBefore((place) => {
    const parent = place.parent === null ? -1 : placeOf.get(place.parent);
    const tiny = place.x1 - place.x0 < leastShown || place.y1 - place.y0 < leastShown;
    if (parent === undefined || (tiny && place.depth > 0)) return;
    const { node, path: itsPath, rest } = place.data;
    const key = keyOf(itsPath, rest);
    placeOf.set(place, boxes.length);
    places.set(key, boxes.length);
    boxes.push({
      key,
      path: itsPath,
      node,
      rest: rest ? node.rest : undefined,
      bytes: bytesIn(place.data),
      x0: place.x0,
      y0: place.y0,
      x1: place.x1,
      y1: place.y1,
      depth: place.depth,
      parent,
      header: place.children ? headerOf(place) : 0,
      divided: place.children !== undefined,
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
