// The dialog that lists the keys.

import { element } from "../dom";

const keys: readonly (readonly [string, string])[] = [
  ["/", "search"],
  ["Backspace", "open the parent directory"],
  ["Arrows", "move to another rectangle or row"],
  ["Enter", "open the directory"],
  ["Home, End", "move to the first, last row"],
  ["Escape", "clear the selection; close"],
  ["m, t", "move to the treemap, the table"],
  ["?", "show this list"],
];

export class KeysDialog {
  constructor(private readonly dialog: HTMLDialogElement) {
    const close = element("button", { type: "button", autofocus: true }, "Close");
    close.addEventListener("click", () => dialog.close());
    const list = element("dl");
    for (const [key, meaning] of keys) {
      const names = key.split(", ").map((name) => element("kbd", {}, name));
      list.append(element("dt", {}, ...names), element("dd", {}, meaning));
    }
    dialog.append(element("h2", { id: "keys-title" }, "Keyboard shortcuts"), list, close);
    dialog.addEventListener("click", (event) => {
      if (event.target === dialog) dialog.close(); // a click outside
    });
  }

  open(): void {
    if (!this.dialog.open) this.dialog.showModal();
  }
}
