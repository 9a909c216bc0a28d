// The plan bar: how much the planned entries hold and free, and what one can do with the plan.

import { effect, untracked } from "@preact/signals-core";

import { bytesText, counted } from "../data/number";
import { byId, element, setText } from "../dom";
import { api, type PlanSums } from "../net/api";
import { Slot } from "../net/slot";
import { type Plan, rememberPlan } from "../state/plan";
import type { Store } from "../state/store";
import { copyText } from "./entry_actions";
import type { PlanDialog } from "./plan_dialog";

/** The name of the file that the page saves, and that the command reads. */
export const planFile = "fathom-plan.jsonl";
export const applyCommand = `fathom apply ${planFile}`;

/** "3 items · 41.2 GiB · frees 39.8 GiB". */
export function sumsText(plan: Plan, sums: PlanSums | undefined): string {
  const items = counted(plan.size, "item", "items");
  if (!sums) return items;
  const parts = [items, bytesText(sums.used_bytes)];
  if (sums.freed_bytes === null) parts.push("what it frees is known after the scan");
  else if (sums.freed_bytes === sums.used_bytes) parts.push("all of it is freed");
  else parts.push(`frees ${bytesText(sums.freed_bytes)}`);
  const unknown = sums.unknown.length;
  if (unknown > 0) parts.push(`${counted(unknown, "item is", "items are")} not in this scan`);
  return parts.join(" · ");
}

/** Saves the plan as a file. */
export function saveFile(text: string): void {
  const link = element("a", { download: planFile });
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  link.click();
  URL.revokeObjectURL(link.href);
}

export class PlanBar {
  private readonly bar = byId("plan");
  private readonly text = element("p", { class: "sums", role: "status" });
  private readonly slot = new Slot();
  private sums: PlanSums | undefined;

  constructor(
    private readonly store: Store,
    dialog: PlanDialog,
  ) {
    const button = (text: string, run: () => void, className?: string) => {
      const made = element("button", { type: "button", class: className }, text);
      made.addEventListener("click", run);
      return made;
    };
    this.bar.append(
      this.text,
      button("Review", () => dialog.open(), "main"),
      button("Download plan", () => void this.download()),
      button("Copy command", () => this.copy()),
      button("Clear", () => {
        store.plan.value = new Set();
      }),
    );
    effect(() => {
      const plan = store.plan.value;
      void [store.generation.value, store.scanning.value];
      rememberPlan(plan);
      this.bar.hidden = plan.size === 0;
      document.body.classList.toggle("planning", plan.size > 0);
      if (plan.size > 0 && store.ready.value) untracked(() => void this.load(plan));
    });
  }

  private async load(plan: Plan): Promise<void> {
    setText(this.text, sumsText(plan, this.sums && { ...this.sums, unknown: [] }));
    try {
      const sums = await this.slot.take((signal) => api.planSums([...plan], signal));
      if (!sums) return;
      this.sums = sums;
      setText(this.text, sumsText(plan, sums));
    } catch (error) {
      this.store.failed(error);
    }
  }

  private async download(): Promise<void> {
    try {
      saveFile(await api.planDraft([...this.store.plan.peek()], "quarantine"));
      this.store.announcement.value = `Saved ${planFile}. Apply it with: ${applyCommand}`;
    } catch (error) {
      this.store.failed(error);
    }
  }

  private copy(): void {
    copyText(applyCommand).then(
      () => {
        this.store.announcement.value = `Copied: ${applyCommand}`;
      },
      () => {
        this.store.problem.value = `The browser does not allow copying. The command is: ${applyCommand}`;
      },
    );
  }
}
