// The state of the scan: a line in the header. Screen readers announce the start and the end, and
// progress at most every 15 seconds.

import { effect } from "@preact/signals-core";

import { shown } from "../data/label";
import { timeText } from "../data/moment";
import { bytesText, counted, grouped } from "../data/number";
import { pathOf } from "../data/path";
import { byId, element, setText } from "../dom";
import type { Status } from "../net/api";
import type { Measure } from "../state/address";
import type { Store } from "../state/store";
import { nameElement } from "./name";

const betweenAnnouncements = 15_000;

export class ScanState {
  private readonly pulse = element("span", { class: "pulse", "aria-hidden": "true" });
  private readonly figures = element("span", { class: "figures" });
  private readonly where = element("span", { class: "where" });
  private announced = { at: -Infinity, state: "" };

  constructor(private readonly store: Store) {
    byId("scan").append(this.pulse, this.figures, this.where);
    effect(() => {
      const status = store.status.value;
      if (store.connection.value === "gone") this.lost();
      else if (status) this.update(status, store.measure.value);
    });
  }

  private update(status: Status, measure: Measure): void {
    const scanning = status.state === "scanning";
    this.pulse.hidden = !scanning;
    const text = scanning ? progressText(status) : resultText(status, measure);
    setText(this.figures, text);
    this.where.replaceChildren(...(scanning ? whereabouts(status) : []));
    this.figures.title = scanning ? "" : titleText(status);
    this.tell(status, text);
  }

  // The connection is lost, and the state unknown.
  private lost(): void {
    this.pulse.hidden = true;
    this.where.replaceChildren();
    setText(this.figures, "");
  }

  private tell(status: Status, text: string): void {
    const now = performance.now();
    const changed = status.state !== this.announced.state;
    if (!changed && (status.state !== "scanning" || now - this.announced.at < betweenAnnouncements))
      return;
    this.announced = { at: now, state: status.state };
    this.store.announcement.value = text;
  }
}

function titleText({ taken, live }: Status): string {
  const paths = live?.not_followed.map((point) => shown(pathOf(point.path, point.path_b64))) ?? [];
  const rest = paths.length > 0 ? `; not followed: ${paths.join(", ")}` : "";
  return `as of ${timeText(taken)}${rest}`;
}

function progressText({ progress }: Status): string {
  if (!progress) return "Scanning";
  const rate = progress.seconds > 0 ? Math.round(progress.entries / progress.seconds) : 0;
  const entries = counted(progress.entries, "entry", "entries");
  return `Scanning: ${entries}, ${bytesText(progress.disk_bytes)} so far, ${grouped(rate)}/s`;
}

function whereabouts({ progress }: Status): Node[] {
  if (!progress) return [];
  const stuck = progress.stuck[0];
  if (stuck !== undefined) {
    const path = pathOf(stuck.path, stuck.path_b64);
    return [document.createTextNode("waiting for "), nameElement(path)];
  }
  if (progress.directory === "") return [];
  return [nameElement(pathOf(progress.directory, progress.directory_b64))];
}

function liveText({ state, not_followed }: NonNullable<Status["live"]>): string {
  if (state === "rescanning") return "live: changes were missed, scanning again";
  if (not_followed.length === 0) return "live";
  return `live, except ${counted(not_followed.length, "filesystem", "filesystems")}`;
}

function resultText(status: Status, measure: Measure): string {
  const { state, totals, accuracy, source } = status;
  if (state === "failed") return `The scan failed: ${status.message}`;
  const bound = accuracy.complete && state === "complete" ? "" : "≥ ";
  const bytes = measure === "apparent" ? totals.apparent_bytes : totals.disk_bytes;
  const found = `${bound}${bytesText(bytes)} in ${counted(totals.entries, "entry", "entries")}`;
  const notes: string[] = [];
  if (source === "file") notes.push("saved scan");
  if (status.live) notes.push(liveText(status.live));
  if (state === "interrupted") notes.push("interrupted");
  if (accuracy.unreadable > 0) notes.push(`${grouped(accuracy.unreadable)} could not be read`);
  if (accuracy.changed > 0) notes.push(`${grouped(accuracy.changed)} disappeared during the scan`);
  return [found, ...notes].join(" · ");
}
