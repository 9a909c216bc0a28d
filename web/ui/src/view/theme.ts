// The theme: light or dark, from the system or the user's choice, which the browser remembers.

import type { Scheme } from "../data/colour";
import type { Palette } from "../map/painter";
import type { Store } from "../state/store";

const choices = ["auto", "light", "dark"] as const;
type Choice = (typeof choices)[number];

const storageKey = "fathom-theme";
const signs: Readonly<Record<Choice, string>> = { auto: "◐", light: "☀", dark: "☾" };
const dark = window.matchMedia("(prefers-color-scheme: dark)");

// The browser may refuse storage; then the choice lasts until the page is closed.
function remembered(): Choice {
  try {
    const text = window.localStorage.getItem(storageKey);
    return choices.find((choice) => choice === text) ?? "auto";
  } catch {
    return "auto";
  }
}

function remember(choice: Choice): void {
  try {
    window.localStorage.setItem(storageKey, choice);
  } catch {
    // As above.
  }
}

export class Theme {
  private choice = remembered();

  constructor(
    private readonly store: Store,
    private readonly button: HTMLButtonElement,
  ) {
    button.addEventListener("click", () => this.next());
    dark.addEventListener("change", () => this.apply());
    this.apply();
  }

  next(): void {
    this.choice = choices[(choices.indexOf(this.choice) + 1) % choices.length]!;
    remember(this.choice);
    this.apply();
  }

  private get scheme(): Scheme {
    if (this.choice !== "auto") return this.choice;
    return dark.matches ? "dark" : "light";
  }

  // The document first: the views read colours from its style.
  private apply(): void {
    document.documentElement.dataset.theme = this.scheme;
    this.button.textContent = signs[this.choice];
    const label = `Theme: ${this.choice === "auto" ? "system" : this.choice}`;
    this.button.title = label;
    this.button.setAttribute("aria-label", label);
    this.store.scheme.value = this.scheme;
  }
}

/** The colours of the treemap in the style of the theme, which the document has. */
export function paletteOf(_scheme: Scheme): Palette {
  const style = getComputedStyle(document.documentElement);
  const value = (name: string) => style.getPropertyValue(name).trim();
  return {
    ground: value("--map-ground"),
    frames: [1, 2, 3, 4].map((depth) => value(`--map-frame-${depth}`)),
    frameInk: value("--ink"),
    quietInk: value("--quiet"),
    accent: value("--accent"),
    edge: value("--map-edge"),
  };
}
