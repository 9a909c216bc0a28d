// The dialog that undoes the last run of this page, with the code that the server printed when the
// run ended.

import { counted } from "../data/number";
import { byId, closeButton, element, setText } from "../dom";
import { api, Refusal } from "../net/api";
import type { Run } from "../state/last_run";
import type { Store } from "../state/store";
import { CodeForm } from "./code_form";
import { notDone, outcomeElements } from "./outcome";

export function aboutText(run: Run | undefined): string {
  if (run) {
    const unsure = run.unsure ?? 0;
    const items = counted(run.done + unsure, "item", "items");
    const which = unsure > 0 ? `what was moved of the ${items}` : `the ${items}`;
    return `Moves back ${which} of the last plan that this page has applied. Journal: ${run.journal}`;
  }
  return "This page has not applied a plan that could be undone. For others, use fathom undo.";
}

export class UndoDialog {
  private readonly dialog = byId<HTMLDialogElement>("undo-dialog");
  private readonly about = element("p", { class: "lead", role: "status" });
  private readonly form = new CodeForm("undo-code", (code) => this.undo(code));
  private readonly result = element("div", { class: "result", role: "status" });

  constructor(private readonly store: Store) {
    this.dialog.append(
      element("h2", { id: "undo-title" }, "Undo"),
      this.about,
      this.form.element,
      this.result,
      element("p", { class: "actions" }, closeButton(this.dialog)),
    );
  }

  /** Does nothing if the server does not undo. */
  open(): void {
    if (this.dialog.open || !this.store.status.peek()?.can_apply) return;
    this.result.replaceChildren();
    this.ask();
    this.dialog.showModal();
    if (this.store.lastRun.peek()) this.form.focus();
  }

  private ask(): void {
    const run = this.store.lastRun.peek();
    setText(this.about, aboutText(run));
    this.form.offer(run && "Undo");
  }

  private async undo(code: string): Promise<void> {
    const run = this.store.lastRun.peek();
    if (!run) return;
    try {
      const undone = await api.planUndo(run.journal, run.journal_b64, code);
      const rest = notDone(undone);
      // What is left needs another code, which the terminal shows.
      this.store.lastRun.value =
        rest === "" ? undefined : { ...run, done: undone.refused, unsure: undone.failed };
      this.ask();
      if (rest === "") setText(this.about, "");
      const moved = `${counted(undone.done, "item", "items")} moved back.`;
      const text = `${moved}${rest} Rescan shows the result.`;
      this.result.replaceChildren(...outcomeElements(text, undone));
    } catch (error) {
      if (error instanceof Refusal) this.result.replaceChildren(error.message);
      else this.store.failed(error);
    }
  }
}
