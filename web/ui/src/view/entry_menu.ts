// The menu of an entry: open it, copy its path or a command for it, put it into the plan.

import { shown } from "../data/label";
import type { Path } from "../data/path";
import { shellWord } from "../data/shell";
import { byId, element } from "../dom";
import { plannedBy } from "../state/plan";
import type { Store } from "../state/store";

interface Item {
  readonly text: string;
  readonly run: () => void;
}

export class EntryMenu {
  private readonly box = byId("menu");
  private opener: Element | null = null;

  constructor(private readonly store: Store) {
    this.box.addEventListener("keydown", (event) => this.key(event));
    this.box.addEventListener("focusout", (event) => {
      const next = event.relatedTarget;
      if (!(next instanceof Node) || !this.box.contains(next)) this.close(false);
    });
    document.addEventListener("pointerdown", (event) => {
      if (this.isOpen && !this.box.contains(event.target as Node)) this.close(false);
    });
  }

  get isOpen(): boolean {
    return !this.box.hidden;
  }

  /** Opens the menu below the element. */
  openFor(path: Path, kind: string, below: Element): void {
    const { left, bottom } = below.getBoundingClientRect();
    this.open(path, kind, { x: left + 24, y: bottom });
  }

  open(path: Path, kind: string, at: { x: number; y: number }): void {
    this.opener = document.activeElement;
    const items = this.itemsFor(path, kind).map(({ text, run }) => {
      const button = element("button", { type: "button", role: "menuitem", tabindex: -1 }, text);
      button.addEventListener("click", () => {
        this.close(true);
        run();
      });
      return button;
    });
    this.box.replaceChildren(...items);
    this.box.setAttribute("aria-label", shown(path));
    this.box.hidden = false;
    const { offsetWidth: width, offsetHeight: height } = this.box;
    const { clientWidth, clientHeight } = document.documentElement;
    this.box.style.left = `${Math.max(4, Math.min(at.x, clientWidth - width - 4))}px`;
    this.box.style.top = `${Math.max(4, Math.min(at.y, clientHeight - height - 4))}px`;
    items[0]?.focus();
  }

  private itemsFor(path: Path, kind: string): Item[] {
    const { store } = this;
    const isDirectory = kind === "directory";
    const items: Item[] = [];
    if (isDirectory) items.push({ text: "Open", run: () => store.open(path) });
    else items.push({ text: "Show in its directory", run: () => store.reveal(path) });
    items.push({ text: "Copy path", run: () => this.copy(shellWord(path), "Path copied") });
    const command = isDirectory ? `cd ${shellWord(path)}` : `ls -l ${shellWord(path)}`;
    items.push({
      text: `Copy command: ${isDirectory ? "cd" : "ls -l"}`,
      run: () => this.copy(command, "Command copied"),
    });
    if (isDirectory) {
      const scan = `fathom scan ${shellWord(path)}`;
      items.push({
        text: "Copy command: fathom scan",
        run: () => this.copy(scan, "Command copied"),
      });
    }
    if (!store.roots.peek().paths.includes(path)) {
      const planned = plannedBy(store.plan.peek(), path) !== undefined;
      items.push({
        text: planned ? "Take out of the plan" : "Put into the plan",
        run: () => store.togglePlanned(path),
      });
    }
    return items;
  }

  private copy(text: string, done: string): void {
    copyText(text).then(
      () => {
        this.store.announcement.value = done;
      },
      () => {
        this.store.problem.value = `The browser does not allow copying. The text is: ${text}`;
      },
    );
  }

  private close(refocus: boolean): void {
    if (!this.isOpen) return;
    const { opener } = this;
    this.box.hidden = true;
    if (refocus && opener instanceof HTMLElement) opener.focus({ preventScroll: true });
  }

  private key(event: KeyboardEvent): void {
    const items = [...this.box.querySelectorAll("button")];
    const at = items.indexOf(document.activeElement as HTMLButtonElement);
    const target: Readonly<Record<string, number>> = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at + items.length - 1) % items.length,
      Home: 0,
      End: items.length - 1,
    };
    const next = target[event.key];
    if (next !== undefined) items[next]!.focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close(true);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Pages that are not served from this machine or encrypted have no clipboard. */
export async function copyText(text: string): Promise<void> {
  if (!navigator.clipboard) throw new Error("no clipboard");
  await navigator.clipboard.writeText(text);
}
