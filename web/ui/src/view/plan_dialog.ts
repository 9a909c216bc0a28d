// The review of the plan: what would happen to each entry, examined on the disk. If the server allows
// it, the plan can be applied with the code that the server prints, and undone.

import { shown } from "../data/label";
import { bytesText, counted } from "../data/number";
import { type Path, pathOf } from "../data/path";
import { byId, element, setText } from "../dom";
import { type Act, type Applied, api, type PlanReview, Refusal } from "../net/api";
import { Slot } from "../net/slot";
import type { Store } from "../state/store";
import { nameElement } from "./name";
import { applyCommand, planFile, saveFile } from "./plan_bar";

const acts: readonly (readonly [Act, string])[] = [
  ["quarantine", "Move to the quarantine (can be undone)"],
  ["trash", "Move to the trash"],
  ["delete", "Delete for good"],
];

/** What the review of the act says in one sentence. */
function reviewText(review: PlanReview, act: Act): string {
  const items = counted(review.items.length, "item", "items");
  const entries = counted(review.entries, "entry", "entries");
  const bytes = act === "delete" ? review.freed_bytes : review.held_bytes;
  const more =
    act === "delete" && review.freed_bytes_at_most > bytes
      ? ` to ${bytesText(review.freed_bytes_at_most)}`
      : "";
  const when = act === "delete" ? "" : ` when the ${act} is emptied`;
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
  private readonly hint = element("p", { class: "quiet-text" });
  private readonly code = element("input", {
    id: "plan-code",
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
  });
  private readonly applyButton = element("button", { type: "submit", class: "main" }, "Apply");
  private readonly form = element("form", { class: "apply" });
  private readonly result = element("div", { class: "result", role: "status" });
  private readonly slot = new Slot();
  private review: PlanReview | undefined;
  private applied: Applied | undefined;

  constructor(private readonly store: Store) {
    for (const [act, title] of acts) this.act.append(element("option", { value: act }, title));
    this.act.addEventListener("change", () => void this.load());
    const close = element("button", { type: "button" }, "Close");
    close.addEventListener("click", () => this.dialog.close());
    const save = element("button", { type: "button" }, "Download plan");
    save.addEventListener("click", () => void this.save());
    const label = element("label", { for: this.code.id }, "Code from the terminal of fathom serve");
    this.form.append(label, this.code, this.applyButton);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.submit();
    });
    this.dialog.append(
      element("h2", { id: "plan-title" }, "The plan"),
      element("p", { class: "option" }, element("label", { for: this.act.id }, "Action"), this.act),
      this.about,
      this.items,
      this.hint,
      this.form,
      this.result,
      element("p", { class: "actions" }, save, close),
    );
    this.dialog.addEventListener("close", () => this.slot.clear());
    this.dialog.addEventListener("click", (event) => {
      if (event.target === this.dialog) this.dialog.close(); // a click outside
    });
  }

  open(): void {
    if (this.dialog.open) return;
    this.applied = undefined;
    this.result.replaceChildren();
    this.dialog.showModal();
    void this.load();
  }

  private get chosenAct(): Act {
    return acts.find(([act]) => act === this.act.value)?.[0] ?? "quarantine";
  }

  private get paths(): Path[] {
    return [...this.store.plan.peek()];
  }

  private async load(): Promise<void> {
    this.review = undefined;
    this.form.hidden = true;
    setText(this.hint, "");
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
    this.form.hidden = !review.can_apply || deletes || review.items.length === 0;
    const preview = `Nothing has been changed. To run it: download the plan, then "${applyCommand}" previews it.`;
    setText(this.hint, this.form.hidden ? preview : "Nothing has been changed yet.");
    setText(this.applyButton, `Apply to ${counted(review.items.length, "item", "items")}`);
    this.code.value = "";
  }

  private item(path: Path, facts: string | undefined, refusal: string | undefined): HTMLLIElement {
    const remove = element(
      "button",
      { type: "button", class: "plain", "aria-label": `Take ${shown(path)} out of the plan` },
      "×",
    );
    remove.addEventListener("click", () => {
      this.store.togglePlanned(path);
      void this.load();
    });
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
      setText(this.hint, `Saved ${planFile}. "${applyCommand}" previews it.`);
    } catch (error) {
      this.fail(error);
    }
  }

  private submit(): Promise<void> {
    return this.applied ? this.undo(this.applied) : this.apply();
  }

  private async apply(): Promise<void> {
    const { review } = this;
    if (!review) return;
    this.applyButton.disabled = true;
    try {
      const applied = await api.planApply(
        review.digest,
        review.items.length,
        this.code.value.trim(),
      );
      this.applied = applied;
      this.store.plan.value = new Set();
      const moved = `${counted(applied.done, "item", "items")} moved`;
      const bytes = `${bytesText(applied.held_bytes)} become free when it is emptied`;
      const problems = applied.refused + applied.failed;
      const rest = problems > 0 ? ` ${counted(problems, "item", "items")} left alone.` : "";
      const journal = `Journal: ${applied.journal}. Rescan shows the result.`;
      this.finish(`${moved}; ${bytes}.${rest} ${journal}`, applied.items);
      setText(this.applyButton, "Undo");
    } catch (error) {
      this.fail(error);
    } finally {
      this.applyButton.disabled = false;
    }
  }

  private async undo(applied: Applied): Promise<void> {
    this.applyButton.disabled = true;
    try {
      const { journal, journal_b64: base64 } = applied;
      const undone = await api.planUndo(journal, base64, this.code.value.trim());
      this.applied = undefined;
      this.form.hidden = true;
      this.finish(`${counted(undone.done, "item", "items")} moved back.`, undone.items);
    } catch (error) {
      this.fail(error);
    } finally {
      this.applyButton.disabled = false;
    }
  }

  // What happened, and to which items it did not.
  private finish(text: string, items: readonly { path: string; why?: string }[]): void {
    this.code.value = "";
    setText(this.about, "");
    setText(this.hint, "");
    this.items.replaceChildren();
    const problems = items.filter(({ why }) => why !== undefined);
    this.result.replaceChildren(
      element("p", {}, text),
      element("ul", {}, ...problems.map(({ path, why }) => element("li", {}, `${path}: ${why}`))),
    );
  }
}
