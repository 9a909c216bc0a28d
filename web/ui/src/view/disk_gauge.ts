// The gauge in the header: how full the filesystem is, and how much of that this scan is.

import { effect } from "@preact/signals-core";

import { type Gauge, gaugeOf } from "../data/gauge";
import { byId, element, mark, setText } from "../dom";
import type { Store } from "../state/store";

export class DiskGauge {
  private readonly box = byId("gauge");
  private readonly text = element("span", { id: "gauge-text" });
  private readonly scanned = element("span", { class: "scanned" });
  private readonly other = element("span", { class: "other" });
  private readonly reserved = element("span", { class: "reserved" });
  private readonly meter = element(
    "span",
    { class: "meter", role: "meter", "aria-label": "Used space", "aria-valuemin": 0 },
    this.scanned,
    this.other,
    this.reserved,
  );

  constructor(store: Store) {
    this.box.append(this.meter, this.text);
    effect(() => {
      const status = store.status.value;
      const gauge = status && gaugeOf(status);
      // While a scan runs, the figures are those after the one before.
      if (gauge) this.show(gauge);
      else if (status?.state !== "scanning") this.box.hidden = true;
    });
  }

  private show({ size, used, scanned, reserved, text, title }: Gauge): void {
    this.box.hidden = false;
    this.box.title = title;
    setText(this.text, text);
    const widths = [
      [this.scanned, scanned],
      [this.other, used - scanned],
      [this.reserved, reserved],
    ] as const;
    for (const [part, bytes] of widths) part.style.width = `${(100 * bytes) / size}%`;
    mark(this.meter, "aria-valuemax", String(size));
    mark(this.meter, "aria-valuenow", String(used));
    mark(this.meter, "aria-valuetext", `${text}. ${title}`);
  }
}
