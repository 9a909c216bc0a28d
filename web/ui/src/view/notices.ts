// Notices: errors and what to do about them, below the header or instead of the page.

import { button, element } from "../dom";

interface Action {
  readonly text: string;
  readonly run: () => void;
}

export class Notices {
  private readonly shown = new Map<string, HTMLElement>();
  private readonly dismissed = new Map<string, string>(); // texts, by name

  /** The user has closed the notice. */
  closed: ((name: string) => void) | undefined;

  constructor(private readonly place: HTMLElement) {}

  /** Shows the text as the notice of that name; without a text, hides it. */
  set(name: string, text: string, action?: Action): void {
    if (text === "") {
      this.dismissed.delete(name);
      this.hide(name);
    } else if (this.dismissed.get(name) !== text) {
      this.show(name, text, action);
    }
  }

  private show(name: string, text: string, action: Action | undefined): void {
    const old = this.shown.get(name);
    if (old?.dataset.text === text) return;
    const notice = element(
      "div",
      { class: `notice ${name}`, role: "alert" },
      element("p", {}, text),
    );
    notice.dataset.text = text;
    if (action) notice.append(button(action.text, action.run));
    const close = () => {
      this.dismissed.set(name, text);
      this.hide(name);
      this.closed?.(name);
    };
    notice.append(button("×", close, { class: "plain", "aria-label": "Close" }));
    if (old) old.replaceWith(notice);
    else this.place.append(notice);
    this.shown.set(name, notice);
  }

  private hide(name: string): void {
    this.shown.get(name)?.remove();
    this.shown.delete(name);
  }

  /** Replaces the whole page, when nothing can be shown. */
  static replacePage(title: string, ...paragraphs: string[]): void {
    document.body.replaceChildren(
      element(
        "main",
        { class: "alone", role: "alert" },
        element("h1", {}, title),
        ...paragraphs.map((text) => element("p", {}, text)),
      ),
    );
    document.title = `${title} - Fathom`;
  }
}
