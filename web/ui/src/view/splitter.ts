// The splitter between the map and the tables, moved by the pointer or the arrow keys.

import { byId, mark } from "../dom";

const storageKey = "fathom-split";
const usual = 66; // percent of the width for the map
const least = 30;
const most = 80;
const step = 2;

function remembered(): number {
  try {
    const text = window.localStorage.getItem(storageKey);
    const share = text === null ? Number.NaN : Number(text);
    return Number.isFinite(share) ? share : usual;
  } catch {
    return usual; // the browser refuses storage
  }
}

export class Splitter {
  private readonly bar = byId("splitter");
  private readonly place = byId("main");
  private share = usual;

  constructor() {
    this.set(remembered());
    this.bar.addEventListener("pointerdown", (event) => {
      this.bar.setPointerCapture(event.pointerId);
      event.preventDefault();
    });
    this.bar.addEventListener("pointermove", (event) => {
      if (this.bar.hasPointerCapture(event.pointerId)) this.follow(event.clientX);
    });
    this.bar.addEventListener("dblclick", () => this.keep(usual));
    this.bar.addEventListener("keydown", (event) => this.key(event));
  }

  private follow(x: number): void {
    const { left, width } = this.place.getBoundingClientRect();
    this.keep((100 * (x - left)) / width);
  }

  private key(event: KeyboardEvent): void {
    const target: Readonly<Record<string, number>> = {
      ArrowLeft: this.share - step,
      ArrowRight: this.share + step,
      Home: least,
      End: most,
    };
    const next = target[event.key];
    if (next === undefined) return;
    event.preventDefault();
    this.keep(next);
  }

  private keep(share: number): void {
    this.set(share);
    try {
      window.localStorage.setItem(storageKey, String(this.share));
    } catch {
      // The split lasts until the page is closed.
    }
  }

  private set(share: number): void {
    this.share = Math.round(Math.min(most, Math.max(least, share)) * 10) / 10;
    this.place.style.setProperty("--map-share", `${this.share}fr`);
    this.place.style.setProperty("--table-share", `${100 - this.share}fr`);
    mark(this.bar, "aria-valuenow", String(Math.round(this.share)));
    mark(this.bar, "aria-valuetext", `Map ${Math.round(this.share)} percent`);
  }
}
