// The review of the plan: what would happen to each entry, examined on the disk. If the server allows
// it, the plan can be applied with the code that the server prints. Otherwise it is saved as a file for
// commands.

import { effect, signal } from "@preact/signals-core";

import { shown } from "../data/label";
import { bytesText, counted } from "../data/number";
import { type Path, pathOf } from "../data/path";
import { button, byId, closeButton, element, setText } from "../dom";
import { type Act, type Applied, api, type PlanReview, Refusal } from "../net/api";
import { Slot } from "../net/slot";
import { brokenRunOf, type Run, runOf } from "../state/last_run";
import type { Store } from "../state/store";
import { CodeForm } from "./code_form";
import { commandLine } from "./command_line";
import { nameElement } from "./name";
import { notDone, outcomeElements } from "./outcome";

const acts: readonly (readonly [Act, string])[] = [
  ["quarantine", "Move to the quarantine (can be undone)"],
  ["trash", "Move to the trash"],
  ["delete", "Delete for good"],
];

const planFile = "fathom-plan.jsonl";
const purge = ["Empty the quarantine", "fathom clean --purge --execute"] as const;

/** When what is moved becomes free. */
export function once(act: Act): string {
  return ` once the ${act} is emptied`;
}

/** The commands for the saved plan, with what they do. */
export function commandsFor(act: Act): (readonly [what: string, command: string])[] {
  const apply = `fathom apply ${planFile}`;
  const both = [["Preview", apply] as const, ["Run", `${apply} --execute`] as const];
  return act === "quarantine" ? [...both, purge] : both;
}

/** What comes before the commands, which need the file. */
export function hintText(saved: boolean, canApply: boolean): string {
  const where = "then run these commands in its folder:";
  if (saved) return `Saved ${planFile} with your downloads. To go on, run these in its folder:`;
  const or = canApply ? " yet. Enter the code, or download" : ". Download";
  return `Nothing has been changed${or} the plan, ${where}`;
}

function saveFile(text: string): void {
  const link = element("a", { download: planFile });
  link.href = URL.createObjectURL(new Blob([text], { type: "application/x-ndjson" }));
  link.click();
  URL.revokeObjectURL(link.href);
}

/** What the review of the act says in one sentence. */
function reviewText(review: PlanReview, act: Act): string {
  const items = counted(review.items.length, "item", "items");
  const entries = counted(review.entries, "entry", "entries");
  const bytes = act === "delete" ? review.freed_bytes : review.held_bytes;
  const more =
    act === "delete" && review.freed_bytes_at_most > bytes
      ? ` to ${bytesText(review.freed_bytes_at_most)}`
      : "";
  const when = act === "delete" ? "" : once(act);
  const open =
    review.open_bytes > 0
      ? ` ${bytesText(review.open_bytes)} of it are in use and become free later.`
      : "";
  return `${items}, ${entries}: frees ${bytesText(bytes)}${more}${when}.${open}`;
}

export class PlanDialog {
  private readonly dialog = byId<HTMLDialogElement>("plan-dialog");
  private readonly act = element("select", { id: "plan-act" });
  private readonly about = element("p", { class: "lead", role: "status" });
  private readonly items = element("ul", { class: "items", tabindex: 0, "aria-label": "Items" });
  private readonly hint = element("p", { class: "quiet-text", role: "status" });
  private readonly commands = element("dl");
  private readonly form = new CodeForm("plan-code", (code) => this.apply(code));
  private readonly result = element("div", { class: "result", role: "status" });
  private readonly slot = new Slot();
  private review: PlanReview | undefined;
  // Whether the last run here moved nothing: then "Undo" would be about an older one.
  private readonly movedNothing = signal(false);

  constructor(
    private readonly store: Store,
    undo: () => void,
  ) {
    for (const [act, title] of acts) this.act.append(element("option", { value: act }, title));
    this.act.addEventListener("change", () => void this.load());
    const save = button("Download plan", () => void this.save());
    const undoLast = button("Undo the last plan", () => {
      this.dialog.close();
      undo();
    });
    effect(() => {
      undoLast.hidden =
        !(store.lastRun.value && store.status.value?.can_apply) || this.movedNothing.value;
    });
    this.dialog.append(
      element("h2", { id: "plan-title" }, "The plan"),
      element("p", { class: "option" }, element("label", { for: this.act.id }, "Action"), this.act),
      this.about,
      this.items,
      this.form.element,
      this.result,
      this.hint,
      this.commands,
      element("p", { class: "actions" }, undoLast, save, closeButton(this.dialog)),
    );
    this.dialog.addEventListener("close", () => this.slot.clear());
  }

  /** Shows the review; with `saving`, saves the plan, too. */
  open(saving = false): void {
    if (this.dialog.open) return;
    this.result.replaceChildren();
    this.movedNothing.value = false;
    this.dialog.showModal();
    void this.load().then(() => (saving ? this.save() : undefined));
  }

  private get chosenAct(): Act {
    return acts.find(([act]) => act === this.act.value)?.[0] ?? "quarantine";
  }

  private get paths(): Path[] {
    return [...this.store.plan.peek()];
  }

  private async load(): Promise<void> {
    this.review = undefined;
    this.form.offer(undefined);
    this.tell("", []);
    const { paths } = this;
    this.items.replaceChildren(...paths.map((path) => this.item(path, undefined, undefined)));
    if (paths.length === 0) {
      setText(this.about, "The plan is empty.");
      return;
    }
    setText(this.about, "Examining the entries on the disk…");
    try {
      const review = await this.slot.take((signal) =>
        api.planReview(paths, this.chosenAct, signal),
      );
      if (review) this.show(review);
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (error instanceof Refusal) setText(this.about, error.message);
    else this.store.failed(error);
  }

  private show(review: PlanReview): void {
    this.review = review;
    setText(this.about, reviewText(review, this.chosenAct));
    const refused = review.refused.map((item) =>
      this.item(pathOf(item.path, item.path_b64), undefined, item.reason),
    );
    const items = review.items.map((item) => {
      const facts = `${bytesText(item.used_bytes)}, ${counted(item.entries, "entry", "entries")}`;
      return this.item(pathOf(item.path, item.path_b64), facts, undefined);
    });
    this.items.replaceChildren(...refused, ...items);
    const deletes = this.chosenAct === "delete";
    const possible = review.can_apply && !deletes && review.items.length > 0;
    this.form.offer(
      possible ? `Apply to ${counted(review.items.length, "item", "items")}` : undefined,
    );
    this.tell(hintText(false, possible), commandsFor(this.chosenAct));
  }

  private tell(hint: string, commands: ReturnType<typeof commandsFor>): void {
    setText(this.hint, hint);
    this.commands.replaceChildren(
      ...commands.flatMap(([what, command]) => [
        element("dt", {}, what),
        element("dd", {}, commandLine(command)),
      ]),
    );
    if (commands.includes(purge)) {
      const place =
        ".fathom-quarantine-UID at the top of the filesystem, or ~/.local/state/fathom/quarantine";
      this.commands.append(element("dt", {}, "The quarantine"), element("dd", {}, place));
    }
  }

  private item(path: Path, facts: string | undefined, refusal: string | undefined): HTMLLIElement {
    const remove = button(
      "×",
      () => {
        this.store.togglePlanned(path);
        void this.load();
      },
      { class: "plain", "aria-label": `Take ${shown(path)} out of the plan` },
    );
    const line = element("li", { class: refusal === undefined ? undefined : "refused" });
    line.append(nameElement(path));
    if (facts !== undefined) line.append(element("span", { class: "facts" }, facts));
    if (refusal !== undefined) line.append(element("span", { class: "why" }, refusal));
    line.append(remove);
    return line;
  }

  private async save(): Promise<void> {
    try {
      saveFile(await api.planDraft(this.paths, this.chosenAct));
      this.tell(hintText(true, false), commandsFor(this.chosenAct));
    } catch (error) {
      this.fail(error);
    }
  }

  private async apply(code: string): Promise<void> {
    const { review } = this;
    if (!review) return;
    try {
      this.finish(await api.planApply(review.digest, review.items.length, code));
    } catch (error) {
      const run = error instanceof Refusal ? brokenRunOf(error, review.items.length) : undefined;
      if (run) this.broke(run);
      this.fail(error);
    }
  }

  // The run ended in an error. The plan stays, because what of it was moved is unknown.
  private broke(run: Run): void {
    this.review = undefined;
    this.store.lastRun.value = run;
    this.form.offer(undefined);
    this.tell("", []);
    this.result.replaceChildren(`What was moved can be moved back. Journal: ${run.journal}`);
  }

  private finish(applied: Applied): void {
    const { journal, done } = applied;
    const run = runOf(applied);
    this.review = undefined;
    this.store.plan.value = new Set();
    if (run) this.store.lastRun.value = run;
    this.movedNothing.value = !run;
    this.form.offer(undefined);
    setText(this.about, "");
    this.tell("", this.chosenAct === "quarantine" ? [purge] : []);
    this.items.replaceChildren();
    const frees = `frees ${bytesText(applied.held_bytes)}${once(this.chosenAct)}`;
    const moved = `${counted(done, "item", "items")} moved; ${frees}.`;
    const text = `${moved}${notDone(applied)} Journal: ${journal}. Rescan shows the result.`;
    this.result.replaceChildren(...outcomeElements(text, applied));
  }
}
