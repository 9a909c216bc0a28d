// The outcome of a run: what happened, and to which items it did not.

import { counted } from "../data/number";
import { element } from "../dom";

// Of an apply or an undo.
interface Outcome {
  readonly items: readonly { readonly path: string; readonly why?: string | undefined }[];
  readonly refused: number;
  readonly failed: number;
}

/** " 2 items left alone.", or nothing. */
export function leftAlone({ refused, failed }: Outcome): string {
  const problems = refused + failed;
  return problems > 0 ? ` ${counted(problems, "item", "items")} left alone.` : "";
}

export function outcomeElements(text: string, { items }: Outcome): HTMLElement[] {
  const problems = items.filter(({ why }) => why !== undefined);
  const lines = problems.map(({ path, why }) => element("li", {}, `${path}: ${why}`));
  return [element("p", {}, text), element("ul", {}, ...lines)];
}
