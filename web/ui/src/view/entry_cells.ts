// The cells of an entry in a table: its name with signs, its size with a bar, time and owner.

import { shown } from "../data/label";
import { agoText, dateText, timeText } from "../data/moment";
import { bytesText, grouped, shareText } from "../data/number";
import { type Path, pathOf } from "../data/path";
import { element } from "../dom";
import type { Entry } from "../net/api";
import { kindIcon, kindWord } from "./kind_icon";
import { nameElement } from "./name";

const signs = [
  { flag: "incomplete", text: "!", title: "Part of it could not be read" },
  { flag: "extra_link", text: "H", title: "Another name of a file that is counted elsewhere" },
  { flag: "repeated", text: "R", title: "Reached twice; counted at another path" },
  { flag: "unwanted", text: "F", title: "Filtered out: it does not match the filters" },
  { flag: "holds_more", text: "<", title: "Some of its entries were excluded" },
] as const;

/** The icon, the name or a link with it, and signs for what is special. */
export function nameCell(
  entry: Entry,
  name: Path,
  colour: string | undefined,
  href: string | undefined,
): HTMLTableCellElement {
  const text = nameElement(name);
  const shownName =
    href === undefined ? text : element("a", { href, tabindex: -1, draggable: "false" }, text);
  const box = element("span", { class: "cell" }, kindIcon(entry.kind, colour), shownName);
  if (entry.kind === "directory") box.append(element("span", { class: "unseen" }, ", directory"));
  else if (entry.kind !== "file")
    box.append(element("span", { class: "unseen" }, `, ${kindWord(entry.kind)}`));
  for (const { flag, text: sign, title } of signs) {
    if (!entry.flags.includes(flag)) continue;
    box.append(
      element("span", { class: "sign", title, "aria-hidden": "true" }, sign),
      element("span", { class: "unseen" }, `, ${title}`),
    );
  }
  return element("th", { scope: "row", class: "name-cell" }, box);
}

/** The size, and its share of `whole` as a number and a bar. */
export function sizeCell(bytes: number, whole: number, lowerBound: boolean): HTMLTableCellElement {
  const share = whole > 0 ? Math.min(1, bytes / whole) : 0;
  const bound = lowerBound ? "≥ " : "";
  return element(
    "td",
    { class: "size-cell", title: `${bound}${grouped(bytes)} bytes, ${shareText(share)}` },
    element(
      "span",
      { class: "sizes" },
      element("span", { class: "bytes" }, bound + bytesText(bytes)),
      element("span", { class: "share" }, shareText(share)),
    ),
    barOf(share),
  );
}

export function barOf(share: number): HTMLElement {
  const filling = element("span");
  filling.style.width = `${(100 * Math.min(1, share)).toFixed(2)}%`;
  return element("span", { class: "bar", "aria-hidden": "true" }, filling);
}

export function bytesCell(bytes: number): HTMLTableCellElement {
  const title = `${grouped(bytes)} bytes`;
  return element("td", { class: "number bytes", title }, bytesText(bytes));
}

export function timeCell(time: number | null, now: number): HTMLTableCellElement {
  if (time === null) return element("td", { class: "time-cell" }, "-");
  const title = `${timeText(time)}, ${agoText(time, now)}`;
  return element("td", { class: "time-cell", title }, dateText(time));
}

export function ownerCell(entry: Entry): HTMLTableCellElement {
  const cell = element("td", { class: "owner-cell" });
  if (entry.owner !== null) cell.append(nameElement(pathOf(entry.owner, entry.owner_b64)));
  else cell.append(entry.uid === null ? "-" : String(entry.uid));
  if (entry.uid !== null) cell.title = `uid ${entry.uid}`;
  return cell;
}

/** The facts about an entry that is not a directory: a root may be a file. */
export function factsOf(entry: Entry): string {
  const facts = [
    `${bytesText(entry.disk_bytes)} on disk`,
    `${bytesText(entry.apparent_bytes)} apparent`,
  ];
  if (entry.modified !== null) facts.push(`modified ${timeText(entry.modified)}`);
  if (entry.owner !== null) facts.push(`owner ${shown(pathOf(entry.owner, entry.owner_b64))}`);
  return `This is a ${kindWord(entry.kind)}: ${facts.join(", ")}.`;
}

/** A head of a column. */
export function headCell(text: string, className: string): HTMLTableCellElement {
  return element("th", { scope: "col", class: className }, text);
}
