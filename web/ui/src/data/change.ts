// Changes between two sizes: their colours and texts.

import type { Scheme } from "./colour";
import { bytesText } from "./number";

// From shrank most to grew most; the middle is unchanged.
const steps: Readonly<Record<Scheme, readonly string[]>> = {
  light: ["#1d5fa8", "#5f96d3", "#abc9ea", "#cdd3dc", "#f6c99b", "#e58a3a", "#b04a06"],
  dark: ["#9acbff", "#5a9ce0", "#34618f", "#3b424d", "#7a4a24", "#c97530", "#ffb066"],
};

// The least ratio of the larger to the smaller size, for each step from the middle.
const ratios = [1.01, 1.2, 2];

/** The step of a change: -3 (less than half of it is left) to 3 (it has at least doubled). */
export function changeStep(before: number, after: number): number {
  const [less, more] = before < after ? [before, after] : [after, before];
  if (more === less) return 0;
  const ratio = less > 0 ? more / less : Infinity;
  const step = ratios.filter((least) => ratio >= least).length;
  return after < before ? -step : step;
}

export function changeColour(before: number, after: number, scheme: Scheme): string {
  return steps[scheme][changeStep(before, after) + 3]!;
}

/** The legend of the colours, from shrank to grew. */
export function changeLegend(scheme: Scheme): { colour: string; text: string }[] {
  const texts = ["shrank to half", "−20%", "less", "same", "more", "+20%", "doubled, new"];
  return texts.map((text, at) => ({ colour: steps[scheme][at]!, text }));
}

/** "+1.5 GiB", "−20 KiB", "0 B". */
export function changeText(change: number): string {
  if (change === 0) return "0 B";
  return `${change < 0 ? "−" : "+"}${bytesText(Math.abs(change))}`;
}
