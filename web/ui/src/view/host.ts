// What the parts of the page ask of the page.

import type { View } from "../address";
import type { Colours, Owners } from "../data/colour";
import type { Path, Roots } from "../data/path";
import type { Status } from "../net/api";

export interface Host {
  readonly view: View;
  readonly status: Status | undefined;
  readonly roots: Roots;
  readonly owners: Owners;
  readonly colours: Colours;
  /** The entry that is chosen, if one is. */
  readonly chosen: Path | undefined;

  /** Shows something else; "replace": without a new step for the back button. */
  go(change: Partial<View>, how?: "push" | "replace"): void;
  /** The address of what go() would show. */
  linkTo(change: Partial<View>): string;
  /** Opens the directory that the entry stands in, and chooses it. */
  reveal(path: Path): void;
  choose(path: Path | undefined): void;
  /** The pointer is on that row, or on none. */
  point(path: Path | undefined): void;
  /** The pointer is on what stands for it in the treemap, or on nothing. */
  pointed(path: Path | undefined): void;
  /** Says what went wrong with a question. */
  failed(error: unknown): void;
  announce(text: string): void;
}

/** A tab's content. */
export interface Panel {
  readonly element: HTMLElement;
  /** It is seen now, or what it shows has changed. */
  show(): void;
  /** Another picture of the scan is there. */
  refresh(): void;
}
