// The tooltip next to the pointer, which describes a rectangle. It stays inside the map.

import type { Path } from "../data/path";
import { element } from "../dom";
import { nameElement } from "./name";

const distance = 14;

export class Tooltip {
  private path: Path | undefined;

  constructor(
    private readonly box: HTMLElement,
    private readonly around: HTMLElement,
  ) {}

  show(path: Path, lines: readonly string[], x: number, y: number): void {
    this.path = path;
    this.box.replaceChildren(
      element("p", { class: "path" }, nameElement(path)),
      ...lines.map((line) => element("p", {}, line)),
    );
    this.box.hidden = false;
    this.place(x, y);
  }

  /** New lines for the path, if it is shown. */
  update(path: Path, lines: readonly string[]): void {
    if (this.box.hidden || this.path !== path) return;
    const [name] = this.box.children;
    this.box.replaceChildren(name!, ...lines.map((line) => element("p", {}, line)));
  }

  hide(): void {
    this.box.hidden = true;
  }

  // To the right of and below the point, or on the other side if it would leave the map.
  private place(x: number, y: number): void {
    const frame = this.around.getBoundingClientRect();
    this.box.style.maxWidth = `${Math.round(Math.min(480, frame.width * 0.7))}px`;
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const right = x + distance + width <= frame.right;
    const below = y + distance + height <= frame.bottom;
    const left = right ? x + distance : Math.max(frame.left, x - distance - width);
    const top = below ? y + distance : Math.max(frame.top, y - distance - height);
    this.box.style.left = `${Math.round(left)}px`;
    this.box.style.top = `${Math.round(top)}px`;
  }
}
