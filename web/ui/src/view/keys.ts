// The dialog that lists the keys.

import { byId, closeButton, element } from "../dom";

const keys: readonly (readonly [string, string])[] = [
  ["/", "search"],
  ["Arrows", "move to another rectangle or row"],
  ["Enter", "open the directory"],
  ["Backspace", "open the parent directory"],
  ["Home, End", "move to the first, last row"],
  ["Space, d", "put the entry into the plan, or take it out"],
  ["P", "review the plan"],
  ["U", "undo the last plan that was applied here"],
  [".", "menu of the entry"],
  ["s, n, C, M", "sort by size, name, entries, time; again: reverse"],
  ["a", "next measure of size"],
  ["c", "next colouring"],
  ["h", "light up only the selected entry"],
  ["=", "tidy the map"],
  ["[, ]", "compare with an earlier, later snapshot"],
  ["1 to 9, 0", "tabs"],
  ["m, t", "move to the map, the table"],
  ["Escape", "close; clear the highlight, then the selection"],
  ["?", "show this list"],
];

export class KeysDialog {
  private readonly dialog = byId<HTMLDialogElement>("keys");

  constructor() {
    const { dialog } = this;
    const close = closeButton(dialog);
    close.autofocus = true;
    const list = element("dl");
    for (const [key, meaning] of keys) {
      const names = key.split(", ").map((name) => element("kbd", {}, name));
      list.append(element("dt", {}, ...names), element("dd", {}, meaning));
    }
    dialog.append(element("h2", { id: "keys-title" }, "Keyboard shortcuts"), list, close);
  }

  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }
}
