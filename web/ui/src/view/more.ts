// The end of a table with more rows on the server: a button that loads them, also when it scrolls
// into view.

import { counted } from "../data/number";
import { element } from "../dom";

export class More {
  readonly element: HTMLElement;
  private readonly button = element("button", { type: "button" });

  constructor(wanted: () => void) {
    this.element = element("p", { class: "more", hidden: true }, this.button);
    this.button.addEventListener("click", wanted);
    new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) wanted();
      },
      { rootMargin: "300px" },
    ).observe(this.element);
  }

  update(shown: number, total: number): void {
    this.element.hidden = shown >= total;
    this.button.textContent = `More (${counted(total - shown, "row", "rows")})`;
  }
}
