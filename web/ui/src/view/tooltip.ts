// The tooltip next to the pointer, which describes a rectangle.

import type { Path } from "../data/path";
import { element } from "../dom";
import { nameElement } from "./name";

const distance = 14;

export class Tooltip {
  constructor(private readonly box: HTMLElement) {}

  show(path: Path, lines: readonly string[], x: number, y: number): void {
    this.box.replaceChildren(
      element("p", { class: "path" }, nameElement(path)),
      ...lines.map((line) => element("p", {}, line)),
    );
    this.box.hidden = false;
    this.place(x, y);
  }

  hide(): void {
    this.box.hidden = true;
  }

  // To the right of and below the point, or on the other side if it would leave the window.
  private place(x: number, y: number): void {
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const { clientWidth, clientHeight } = document.documentElement;
    const right = x + distance + width <= clientWidth;
    const below = y + distance + height <= clientHeight;
    const left = right ? x + distance : Math.max(0, x - distance - width);
    const top = below ? y + distance : Math.max(0, y - distance - height);
    this.box.style.left = `${Math.round(left)}px`;
    this.box.style.top = `${Math.round(top)}px`;
  }
}
