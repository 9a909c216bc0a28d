// The interface between the page and its parts.

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
  /** The selected entry, if any. */
  readonly chosen: Path | undefined;

  /** Changes the view; "replace" adds no step for the back button. */
  go(change: Partial<View>, how?: "push" | "replace"): void;
  /** The address of the view that go() would show. */
  linkTo(change: Partial<View>): string;
  /** Opens the directory of the entry, and selects the entry. */
  reveal(path: Path): void;
  choose(path: Path | undefined): void;
  /** The pointer is on the row of that path, or on no row. */
  point(path: Path | undefined): void;
  /** The pointer is on the box of that path in the treemap, or on no box. */
  pointed(path: Path | undefined): void;
  /** Shows the error of a request. */
  failed(error: unknown): void;
  announce(text: string): void;
}

/** The content of a tab. */
export interface Panel {
  readonly element: HTMLElement;
  /** The panel has become visible, or the view has changed. */
  show(): void;
  /** A new snapshot of the scan is available. */
  refresh(): void;
  /** The colours have changed. */
  recolour?(): void;
}
