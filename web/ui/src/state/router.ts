// The router: keeps the view and the address of the browser the same.

import { effect } from "@preact/signals-core";

import { addressOf, parseAddress } from "./address";
import type { Store } from "./store";

export class Router {
  constructor(private readonly store: Store) {}

  /** Call when the status is known: addresses depend on the measure of the server. */
  start(): void {
    this.read();
    window.addEventListener("popstate", () => this.read());
    effect(() => this.write());
  }

  private read(): void {
    this.store.step = "replace";
    this.store.problem.value = "";
    this.store.view.value = parseAddress(window.location.hash, this.store.usual.peek());
  }

  private write(): void {
    const address = addressOf(this.store.view.value, this.store.usual.value);
    const now = window.location.hash || "#";
    if (address === now) return;
    if (this.store.step === "push") window.history.pushState(null, "", address);
    else window.history.replaceState(null, "", address);
  }
}
