// A curve of sizes over time, with the two snapshots that are compared.

import { dateText, timeText } from "../data/moment";
import { bytesText } from "../data/number";

export interface CurvePoint {
  readonly id: string; // "" is now
  readonly time: number;
  readonly bytes: number | null;
}

const width = 600;
const height = 130;
const left = 64;
const right = 10;
const top = 10;
const bottom = 22;
const space = "http://www.w3.org/2000/svg";

function drawn(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
): SVGElement {
  const made = document.createElementNS(space, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** The curve; `chosen` gets the id of a point on which the user clicks. */
export function curveOf(
  points: readonly CurvePoint[],
  from: string,
  to: string,
  chosen: (id: string) => void,
): SVGElement {
  const known = points.filter((point) => point.bytes !== null);
  const times = points.map(({ time }) => time);
  const sizes = known.map(({ bytes }) => bytes!);
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const most = Math.max(...sizes, 1);
  const xOf = (time: number) =>
    left + ((time - first) / Math.max(1, last - first)) * (width - left - right);
  const yOf = (bytes: number) => height - bottom - (bytes / most) * (height - top - bottom);
  const chart = drawn("svg", { class: "curve", viewBox: `0 0 ${width} ${height}`, role: "img" });
  const start = known[0];
  const end = known[known.length - 1];
  const label =
    start && end
      ? `Size over time: from ${bytesText(start.bytes!)} on ${dateText(start.time)} to ${bytesText(end.bytes!)} on ${dateText(end.time)}`
      : "Size over time";
  chart.setAttribute("aria-label", label);
  for (const share of [0, 0.5, 1]) {
    const y = yOf(most * share);
    chart.append(
      drawn("line", { class: "grid", x1: left, x2: width - right, y1: y, y2: y }),
      drawn(
        "text",
        { x: left - 6, y: y + 4, "text-anchor": "end" },
        bytesText(Math.round(most * share)),
      ),
    );
  }
  const text = dateText(first) === dateText(last) ? timeText : dateText;
  chart.append(
    drawn("text", { x: left, y: height - 5 }, text(first)),
    drawn("text", { x: width - right, y: height - 5, "text-anchor": "end" }, text(last)),
  );
  const line = known.map(({ time, bytes }) => `${xOf(time).toFixed(1)},${yOf(bytes!).toFixed(1)}`);
  chart.append(drawn("polyline", { class: "line", points: line.join(" ") }));
  for (const { id, time, bytes } of known) {
    const is = id === to ? "to" : id === from ? "from" : "";
    const [cx, cy] = [xOf(time), yOf(bytes!)];
    const dot = drawn("circle", { class: `dot ${is}`, cx, cy, r: is ? 6 : 4 });
    const hit = drawn("circle", { class: "hit", cx, cy, r: 12 });
    hit.append(drawn("title", {}, `${timeText(time)}: ${bytesText(bytes!)}`));
    hit.addEventListener("click", () => chosen(id));
    chart.append(dot, hit);
  }
  return chart;
}

/** The points of a line through the sizes in a box; sizes that are unknown are left out. */
export function sparkPoints(
  sizes: readonly (number | null)[],
  times: readonly number[],
  width: number,
  height: number,
): string {
  const most = Math.max(1, ...sizes.map((bytes) => bytes ?? 0));
  const [first, last] = [Math.min(...times), Math.max(...times)];
  const points: string[] = [];
  sizes.forEach((bytes, at) => {
    if (bytes === null) return;
    const x = (width * (times[at]! - first)) / Math.max(1, last - first);
    points.push(`${x.toFixed(1)},${(height * (1 - bytes / most)).toFixed(1)}`);
  });
  return points.join(" ");
}

/** A curve for a row of a table, from zero. */
export function sparkOf(sizes: readonly (number | null)[], times: readonly number[]): SVGElement {
  const chart = drawn("svg", { class: "spark", viewBox: "-1 -1 74 18", "aria-hidden": "true" });
  chart.append(drawn("polyline", { class: "line", points: sparkPoints(sizes, times, 72, 16) }));
  return chart;
}
