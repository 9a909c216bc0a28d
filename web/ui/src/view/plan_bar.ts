// The plan bar: how much the planned entries hold and free, and what one can do with the plan.

import { effect, untracked } from "@preact/signals-core";

import { bytesText, counted } from "../data/number";
import { button, byId, element, setText } from "../dom";
import { api, type PlanSums } from "../net/api";
import { Slot } from "../net/slot";
import { type Plan, rememberPlan } from "../state/plan";
import type { Store } from "../state/store";
import { once, type PlanDialog } from "./plan_dialog";

/** "3 items · 41.2 GiB · frees 39.8 GiB once the quarantine is emptied". */
export function sumsText(plan: Plan, sums: PlanSums | undefined): string {
  const items = counted(plan.size, "item", "items");
  if (!sums) return items;
  const parts = [items, bytesText(sums.used_bytes)];
  if (sums.freed_bytes === null) parts.push("what it frees is known after the scan");
  else parts.push(`frees ${bytesText(sums.freed_bytes)}${once("quarantine")}`);
  const unknown = sums.unknown.length;
  if (unknown > 0) parts.push(`${counted(unknown, "item is", "items are")} not in this scan`);
  return parts.join(" · ");
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
    this.bar.append(
      this.text,
      button("Review", () => dialog.open(), { class: "main" }),
      button("Download plan", () => dialog.open(true)),
      button("Clear", () => {
        store.plan.value = new Set();
      }),
    );
    // What sticks to the bottom of the window is above the bar.
    new ResizeObserver(() => {
      document.body.style.setProperty("--bar", `${this.bar.offsetHeight}px`);
    }).observe(this.bar);
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
}
