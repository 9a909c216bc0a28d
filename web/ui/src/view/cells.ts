// Cells of tables whose columns the server describes: one renderer for each type.

import { agoText, dateText, timeText } from "../data/moment";
import { bytesText, durationText, grouped, shareText } from "../data/number";
import { type Path, pathOf } from "../data/path";
import { element } from "../dom";
import type { Column, Row } from "../net/api";
import { barOf } from "./entry_cells";
import { nameElement } from "./name";

type CellType = Column["type"];

const figures = new Set<CellType>(["count", "bytes", "number", "share", "seconds", "rate"]);

/** Creates the element for a path in a cell, usually a link. */
export type PathView = (path: Path) => HTMLElement;

export function isFigure(column: Column): boolean {
  return figures.has(column.type);
}

function textCell(row: Row, { key }: Column, showPath: PathView | undefined): Node | string {
  const value = row[key];
  if (typeof value !== "string" || value === "") return "-";
  const base64 = row[`${key}_b64`];
  const path = pathOf(value, typeof base64 === "string" ? base64 : undefined);
  return showPath ? showPath(path) : nameElement(path);
}

function shareCell(share: number): HTMLElement {
  return element("span", { class: "shared" }, barOf(share), element("span", {}, shareText(share)));
}

function figureCell(cell: HTMLElement, value: number, type: CellType, now: number): void {
  switch (type) {
    case "bytes":
      cell.textContent = bytesText(value);
      cell.title = `${grouped(value)} bytes`;
      break;
    case "count":
      cell.textContent = grouped(value);
      break;
    case "share":
      cell.append(shareCell(value));
      break;
    case "seconds":
      cell.textContent = durationText(value);
      break;
    case "rate":
      cell.textContent = `${grouped(Math.floor(value))}/s`;
      break;
    case "time":
      cell.textContent = dateText(value);
      cell.title = `${timeText(value)}, ${agoText(value, now)}`;
      break;
    default:
      cell.textContent = String(value);
  }
}

export function cellOf(
  row: Row,
  column: Column,
  now: number,
  showPath: PathView | undefined,
): HTMLTableCellElement {
  const cell = element("td", { class: isFigure(column) ? `number ${column.type}` : column.type });
  const value = row[column.key];
  if (typeof value === "number") {
    figureCell(cell, value, column.type, now);
  } else if (typeof value === "boolean") {
    cell.textContent = column.type === "bound" ? (value ? "≥" : "") : value ? "yes" : "no";
  } else {
    cell.append(textCell(row, column, showPath));
  }
  return cell;
}
