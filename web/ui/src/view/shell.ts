// The shell around the views: the title, what is said about the directory, notices, the server.

import { effect } from "@preact/signals-core";

import { shown } from "../data/label";
import { bytesText, counted, grouped } from "../data/number";
import { pathOf } from "../data/path";
import { byId, setText } from "../dom";
import { bytesBy, type Status } from "../net/api";
import type { Store } from "../state/store";
import { Notices } from "./notices";

export interface Server {
  /** Tries to reach the server again, immediately. */
  retry(): void;
  rescan(): Promise<void>;
}

export class Shell {
  private readonly notices = new Notices(byId("notices"));
  private readonly rescan = byId<HTMLButtonElement>("rescan");
  private timer: number | undefined;

  constructor(
    private readonly store: Store,
    private readonly server: Server,
  ) {
    this.rescan.addEventListener("click", () => void this.scanAgain());
    effect(() => this.showTitle());
    effect(() => this.showHere());
    effect(() => this.showConnection());
    effect(() => this.showStatus(store.status.value));
    effect(() => this.notices.set("problem", store.problem.value));
    effect(() => this.notices.set("waiting", store.waiting.value));
    effect(() => setText(byId("announcements"), store.announcement.value));
    effect(() => this.showToast(store.toast.value));
    this.notices.closed = (name) => {
      if (name === "problem") store.problem.value = "";
    };
  }

  private showToast(text: string): void {
    setText(byId("toast"), text);
    window.clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      this.store.toast.value = "";
    }, 2000);
  }

  private showTitle(): void {
    const { store } = this;
    const path = store.directory.value;
    const name = path === "" ? "All roots" : shown(store.nameOf(path));
    const scanning = store.scanning.value ? " (scanning)" : "";
    document.title = store.status.value ? `${name}${scanning} - Fathom` : "Fathom";
  }

  // The state of the scan has the same totals of the top.
  private showHere(): void {
    const { store } = this;
    const here = byId("here");
    const entry = store.entry.value;
    here.hidden = !entry || store.directory.value === store.roots.value.top;
    if (!entry) return;
    const bound = entry.flags.includes("incomplete") ? "≥ " : "";
    const bytes = `${bound}${bytesText(bytesBy(entry, store.measure.value))}`;
    const sofar = store.scanning.value ? " so far" : "";
    setText(here, `${bytes} in ${counted(entry.entries, "entry", "entries")}${sofar}`);
  }

  private showConnection(): void {
    const connection = this.store.connection.value;
    document.body.classList.toggle("stale", connection === "gone");
    if (connection === "refused") {
      Notices.replacePage(
        "The token is missing or no longer valid",
        "fathom serve creates a new token each time it starts, and requires it in every request.",
        "Open the address that it printed when it started; the address contains the token. " +
          "If it is no longer running, start it again.",
      );
    }
    const text =
      connection === "gone"
        ? "The server does not respond. The page shows the last data it received, and keeps trying. " +
          "If fathom serve has ended, start it again and open the address that it prints."
        : "";
    this.notices.set("gone", text, { text: "Try now", run: () => this.server.retry() });
  }

  private showStatus(status: Status | undefined): void {
    if (!status) return;
    const scanning = status.state === "scanning";
    document.body.classList.toggle("scanning", scanning);
    this.rescan.hidden = status.source === "file";
    this.rescan.disabled = !status.can_rescan || scanning;
    // The server cannot scan one directory alone.
    const roots = status.roots.map((root) => shown(pathOf(root.path, root.path_b64)));
    this.rescan.title = `Scan the whole of ${roots.join(", ")} again`;
    const failed = status.state === "failed" ? `The scan failed: ${status.message}` : "";
    this.notices.set("failed", failed);
    const { unreadable } = status.accuracy;
    const errors =
      status.state === "complete" && unreadable > 0
        ? `${grouped(unreadable)} could not be read: sizes with ≥ are minimums. The tab Errors lists them; run as root to read everything.`
        : "";
    this.notices.set("incomplete", errors);
  }

  private async scanAgain(): Promise<void> {
    this.rescan.disabled = true;
    try {
      await this.server.rescan();
    } catch (error) {
      this.rescan.disabled = false;
      this.store.failed(error);
    }
  }
}
