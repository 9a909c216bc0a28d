// The form for a code from the terminal of the server, which allows one apply or one undo.

import { element, setText } from "../dom";

export class CodeForm {
  readonly element = element("form", { class: "apply" });
  private readonly button = element("button", { type: "submit", class: "main" });
  private readonly input: HTMLInputElement;

  /** `run` gets the code. While it runs, the form cannot be submitted again. */
  constructor(id: string, run: (code: string) => Promise<void>) {
    this.input = element("input", { id, type: "text", autocomplete: "off", spellcheck: "false" });
    const label = element("label", { for: id }, "Code from the terminal of fathom serve");
    this.element.append(label, this.input, this.button);
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      this.button.disabled = true;
      void run(this.input.value.trim()).finally(() => {
        this.button.disabled = false;
      });
    });
  }

  /** Offers what the button says; undefined: nothing. */
  offer(text: string | undefined): void {
    this.element.hidden = text === undefined;
    this.input.value = "";
    setText(this.button, text ?? "");
  }

  focus(): void {
    this.input.focus();
  }
}
