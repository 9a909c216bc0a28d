// The ages of files as a matrix: a row for each age, a column for each owner. Choosing a cell lights
// up its files in the map.

import { type AgeColumn, type AgeRow, ageColumns, type Measured } from "../data/age_columns";
import { ageColour, ageRanges, ageTitles } from "../data/colour";
import { bytesText, grouped, shareText } from "../data/number";
import { button, element, mark, setText, swatch } from "../dom";
import { api } from "../net/api";
import { Slot } from "../net/slot";
import type { Highlight } from "../state/highlight";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { barOf, headCell } from "./entry_cells";
import { type Panel, whileShown } from "./panel";
import { placeText } from "./scope_bar";

const mostRows = 1000;
const mostUsers = 12;
const order = ["future", ...ageTitles, "unknown"];

export class AgesPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly note = element("p", { class: "note", hidden: true }, "No entries.");
  private readonly head = element("tr");
  private readonly body = element("tbody");
  private readonly table = element(
    "table",
    { class: "matrix" },
    element("caption", { class: "unseen" }, "Sizes by age and owner"),
    element("thead", {}, this.head),
    this.body,
  );
  private readonly cells: { button: HTMLButtonElement; highlight: Highlight }[] = [];
  private readonly slot = new Slot();

  constructor(private readonly store: Store) {
    const scroll = element("div", { class: "scroll" }, this.table, this.note);
    this.element = element("div", { class: "filled" }, this.about, scroll);
    whileShown(
      store,
      "ages",
      () => `${store.measure.value === "apparent"} ${store.subject.value}`,
      () => void this.load(),
    );
    watch(
      () => void store.highlight.value,
      () => this.mark(),
    );
  }

  private async load(): Promise<void> {
    const { store } = this;
    const place = placeText(store);
    setText(
      this.about,
      `Sizes by time since the last modification ${place}, for each owner. ` +
        "Choose a cell to light up its files in the map.",
    );
    const measured: Measured =
      store.measure.peek() === "apparent" ? "apparent_bytes" : "disk_bytes";
    const page = { offset: 0, limit: mostRows };
    try {
      const report = await this.slot.take((signal) =>
        api.report("ages", store.subject.peek(), store.measure.peek(), page, signal),
      );
      if (report) this.fill(ageColumns(report.rows, measured), measured);
    } catch (error) {
      store.failed(error);
    }
  }

  private fill(columns: readonly AgeColumn[], measured: Measured): void {
    const shownColumns = columns.slice(0, 1 + mostUsers);
    const [everyone] = shownColumns;
    this.table.hidden = !everyone;
    this.note.hidden = everyone !== undefined;
    this.cells.length = 0;
    if (!everyone) return;
    const known = order.filter((age) => everyone.ages.has(age) || ageTitles.includes(age));
    this.head.replaceChildren(
      headCell("Modified", "text"),
      ...shownColumns.map(({ title }) => headCell(title, "number")),
    );
    this.body.replaceChildren(
      ...known.map((age) => this.line(age, shownColumns, everyone.bytes, measured)),
    );
    this.mark();
  }

  private line(
    age: string,
    columns: readonly AgeColumn[],
    whole: number,
    measured: Measured,
  ): HTMLTableRowElement {
    const step = ageTitles.indexOf(age);
    const text = step >= 0 ? ageRanges[step]! : age === "future" ? "in the future" : "unknown";
    const title = element("span", { class: "cell" }, swatch(ageColour(step)), text);
    const cells = columns.map((column, at) => {
      const row = column.ages.get(age);
      if (!row) return element("td", { class: "number quiet" }, "-");
      return this.cell(row, column, at === 0, whole, measured, step);
    });
    return element("tr", {}, element("th", { scope: "row", class: "text" }, title), ...cells);
  }

  private cell(
    row: AgeRow,
    { uid, title }: AgeColumn,
    forAll: boolean,
    whole: number,
    measured: Measured,
    step: number,
  ): HTMLTableCellElement {
    const bytes = row[measured];
    const share = whole > 0 ? bytes / whole : 0;
    const facts = `${grouped(row.entries)} entries, ${shareText(share)} of all`;
    const possible = step >= 0 && (forAll || uid !== null);
    const highlight = forAll || uid === null ? { age: step } : { age: step, owner: uid };
    const choice = button(bytesText(bytes), () => this.store.toggleHighlight(highlight), {
      class: "quiet",
      title: facts,
      disabled: !possible,
      "aria-label": `${title}: ${bytesText(bytes)}, ${facts}`,
    });
    choice.append(barOf(share));
    if (possible) this.cells.push({ button: choice, highlight });
    return element("td", { class: "number" }, choice);
  }

  private mark(): void {
    for (const { button, highlight } of this.cells) {
      mark(button, "aria-pressed", String(this.store.isLit(highlight)));
    }
  }
}
