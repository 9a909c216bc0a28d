// Duplicate files: the search for them, which the user starts, and its results.

import { bytesText, counted, grouped } from "../data/number";
import { pathOf } from "../data/path";
import { element, setText } from "../dom";
import { api, type Duplicates } from "../net/api";
import { firstRows } from "../net/rows";
import { Slot } from "../net/slot";
import type { Host, Panel } from "./host";
import { More } from "./more";
import { entryLink } from "./report_table";

const pageSize = 50;
const betweenQuestions = 700; // ms, while the search runs
const namesAtFirst = 5;

export class DuplicateGroups implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly button = element("button", { type: "button", class: "main" }, "Find duplicates");
  private readonly progress = element("progress", { "aria-label": "Read so far" });
  private readonly reading = element("p", { class: "note" });
  private readonly list = element("ol", { class: "groups" });
  private readonly more: More;
  private readonly slot = new Slot();
  private timer: number | undefined;
  private loaded = 0;
  private total = 0;
  private generation = -1;

  constructor(private readonly host: Host) {
    this.more = new More(() => void this.loadMore());
    this.button.addEventListener("click", () => void this.begin());
    this.element = element(
      "div",
      { class: "scroll duplicates" },
      this.about,
      this.button,
      this.progress,
      this.reading,
      this.list,
      this.more.element,
    );
    this.progress.hidden = true;
  }

  show(): void {
    void this.load();
  }

  refresh(): void {
    void this.load();
  }

  private async begin(): Promise<void> {
    this.button.disabled = true;
    try {
      this.fill(await api.findDuplicates());
    } catch (error) {
      this.host.failed(error);
      this.button.disabled = false;
    }
  }

  // Requests as many groups as are on display.
  private async load(): Promise<void> {
    window.clearTimeout(this.timer);
    const wanted = Math.max(pageSize, this.loaded);
    try {
      const answer = await this.slot.take((signal) =>
        firstRows("groups", wanted, (page) => api.duplicates(page, signal)),
      );
      if (answer) this.fill(answer);
    } catch (error) {
      this.host.failed(error);
    }
  }

  private async loadMore(): Promise<void> {
    if (this.slot.busy || this.loaded >= this.total) return;
    try {
      const page = { offset: this.loaded, limit: pageSize };
      const answer = await this.slot.take((signal) => api.duplicates(page, signal));
      if (answer?.generation === this.generation) this.add(answer);
      else if (answer) void this.load(); // another search
    } catch (error) {
      this.host.failed(error);
    }
  }

  private fill(answer: Duplicates): void {
    const running = answer.state === "running";
    this.fillHead(answer, running);
    this.list.replaceChildren();
    this.loaded = 0;
    this.generation = answer.generation;
    this.add(answer);
    if (running && this.element.isConnected) {
      this.timer = window.setTimeout(() => void this.load(), betweenQuestions);
    }
  }

  private add(answer: Duplicates): void {
    this.total = answer.total;
    this.loaded += answer.groups.length;
    this.list.append(...answer.groups.map((group) => this.groupItem(group)));
    this.more.update(this.loaded, this.total);
  }

  private fillHead(answer: Duplicates, running: boolean): void {
    const { status } = this.host;
    const scanning = status?.state === "scanning";
    const possible = status?.source !== "file";
    this.button.hidden = running || answer.state === "complete" || !possible;
    this.button.disabled = scanning;
    this.progress.hidden = this.reading.hidden = !running;
    if (running) {
      const { bytes_read: read, bytes_to_read: all } = answer.progress;
      this.progress.max = Math.max(1, all);
      this.progress.value = read;
      setText(this.reading, `${bytesText(read)} of ${bytesText(all)} read`);
    }
    setText(this.about, headOf(answer, possible, scanning));
  }

  private groupItem(group: Duplicates["groups"][number]): HTMLLIElement {
    const count = group.names;
    const title = `${counted(count, "copy", "copies")}, ${bytesText(group.size)} each`;
    const wasted = element(
      "span",
      { class: "wasted", title: `${grouped(group.wasted_bytes)} bytes` },
      `${bytesText(group.wasted_bytes)} wasted`,
    );
    const paths = group.files.map((file) => {
      const item = element("li", {}, entryLink(this.host, pathOf(file.path, file.path_b64)));
      if (file.other_names > 0) {
        const others = counted(file.other_names, "other name", "other names");
        item.append(element("span", {}, `and ${others}`));
      }
      return item;
    });
    const names = element("ul", {}, ...paths.slice(0, namesAtFirst));
    const item = element("li", {}, element("h3", {}, title, wasted), names);
    const hidden = paths.slice(namesAtFirst);
    if (hidden.length > 0) {
      const all = element("button", { type: "button", class: "quiet" }, `${hidden.length} more`);
      all.addEventListener("click", () => {
        names.append(...hidden);
        all.remove();
        hidden[0]!.querySelector("a")?.focus();
      });
      item.append(all);
    }
    if (count > group.files.length) {
      item.append(
        element("p", { class: "note" }, `and ${grouped(count - group.files.length)} more copies`),
      );
    }
    return item;
  }
}

function headOf(answer: Duplicates, possible: boolean, scanning: boolean): string {
  switch (answer.state) {
    case "running":
      return "Reading files that have the same size as another file, and comparing them byte by byte.";
    case "complete": {
      const totals = answer.totals;
      if (totals.groups === 0) return "No two files have equal contents.";
      const groups = counted(totals.groups, "group", "groups");
      const wasted = bytesText(totals.wasted_bytes);
      return `${groups} of equal files. Keeping one copy of each would free ${wasted}.`;
    }
    case "failed":
      return `The search failed: ${answer.message}`;
    case "interrupted":
      return "The search was interrupted.";
    default:
      if (!possible)
        return "Duplicates cannot be searched for in a saved scan, because its files are not here.";
      if (scanning) return "You can search for duplicates when the scan is complete.";
      return (
        "Files with equal contents, compared byte by byte. This reads every file that has the " +
        "same size as another file, so it takes a while and keeps the disk busy."
      );
  }
}
