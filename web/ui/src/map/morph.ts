// Morphs: the animation from one scene to the next.
//
// A box in both scenes moves from its old place to its new one. A new box grows out of its parent's
// box; a removed box shrinks into it. If one scene shows a directory of the other, as after zooming,
// all boxes move along with that directory.

import type { Rect, Scene } from "./layout";

/** A box that moves from one rectangle to another. */
export interface Moving {
  readonly at: number; // index of the box in its scene
  readonly from: Rect;
  readonly to: Rect;
  readonly fade: "none" | "in" | "out";
}

export interface Morph {
  readonly leaving: readonly Moving[]; // boxes of the old scene that are not in the new one
  readonly coming: readonly Moving[]; // all boxes of the new scene
}

/** Maps `rect` by the transformation that maps `from` to `to`. */
export function carried(rect: Rect, from: Rect, to: Rect): Rect {
  const width = from.x1 - from.x0 || 1;
  const height = from.y1 - from.y0 || 1;
  const scaleX = (to.x1 - to.x0) / width;
  const scaleY = (to.y1 - to.y0) / height;
  return {
    x0: to.x0 + (rect.x0 - from.x0) * scaleX,
    y0: to.y0 + (rect.y0 - from.y0) * scaleY,
    x1: to.x0 + (rect.x1 - from.x0) * scaleX,
    y1: to.y0 + (rect.y1 - from.y0) * scaleY,
  };
}

export function between(from: Rect, to: Rect, t: number): Rect {
  return {
    x0: from.x0 + (to.x0 - from.x0) * t,
    y0: from.y0 + (to.y0 - from.y0) * t,
    x1: from.x1 + (to.x1 - from.x1) * t,
    y1: from.y1 + (to.y1 - from.y1) * t,
  };
}

/** For each box of `scene`, its place in `other`, or the place that it would have there. */
function placesIn(scene: Scene, other: Scene, rectOf: (at: number) => Rect): (Rect | undefined)[] {
  const places: (Rect | undefined)[] = [];
  const zoomedFrom = scene.places.get(other.root); // the box that fills the other scene
  scene.boxes.forEach((box, at) => {
    const there = other.places.get(box.key);
    if (there !== undefined) {
      places[at] = rectOf(there);
    } else if (box.parent >= 0) {
      const around = places[box.parent];
      places[at] = around && carried(box, scene.boxes[box.parent]!, around);
    } else if (zoomedFrom !== undefined) {
      places[at] = carried(box, scene.boxes[zoomedFrom]!, rectOf(0));
    }
  });
  return places;
}

/**
 * The morph from a scene, whose boxes are at the places in `current` now, to the next scene. Scenes
 * that have no box in common fade into each other.
 */
export function morphOf(
  previous: Scene | undefined,
  current: (at: number) => Rect,
  next: Scene,
): Morph {
  if (!previous) {
    return {
      leaving: [],
      coming: next.boxes.map((box, at) => ({ at, from: box, to: box, fade: "none" })),
    };
  }
  const origins = placesIn(next, previous, current);
  const targets = placesIn(previous, next, (at) => next.boxes[at]!);
  const coming = next.boxes.map((box, at): Moving => {
    const known = previous.places.has(box.key);
    return { at, from: origins[at] ?? box, to: box, fade: known ? "none" : "in" };
  });
  const leaving: Moving[] = [];
  previous.boxes.forEach((box, at) => {
    if (next.places.has(box.key)) return;
    const from = current(at);
    leaving.push({ at, from, to: targets[at] ?? from, fade: "out" });
  });
  return { leaving, coming };
}
