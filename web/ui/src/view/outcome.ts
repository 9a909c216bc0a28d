// The outcome of a run: what happened, and to which items it did not.

import { counted } from "../data/number";
import { element } from "../dom";

// Of an apply or an undo.
interface Outcome {
  readonly items: readonly { readonly path: string; readonly why?: string | undefined }[];
  readonly refused: number;
  readonly failed: number;
}

/** " 2 items left alone. 1 item failed, and may have been moved.", or nothing. */
export function notDone({ refused, failed }: Pick<Outcome, "refused" | "failed">): string {
  const alone = refused > 0 ? ` ${counted(refused, "item", "items")} left alone.` : "";
  const lost =
    failed > 0 ? ` ${counted(failed, "item", "items")} failed, and may have been moved.` : "";
  return alone + lost;
}

export function outcomeElements(text: string, { items }: Outcome): HTMLElement[] {
  const problems = items.filter(({ why }) => why !== undefined);
  const lines = problems.map(({ path, why }) => element("li", {}, `${path}: ${why}`));
  return [element("p", {}, text), element("ul", {}, ...lines)];
}
