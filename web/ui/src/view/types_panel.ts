// The types of files: extensions with their colours in the map. Choosing one lights up its files.

import { classOfExtension } from "../data/file_class";
import { type FileType, foldNumbers } from "../data/file_types";
import { grouped, shareText } from "../data/number";
import { pathOf } from "../data/path";
import { element, mark, setText, swatch } from "../dom";
import { api } from "../net/api";
import { firstRows } from "../net/first_rows";
import { PagedList, type Part } from "../net/paged_list";
import { type Highlight, numbered } from "../state/highlight";
import type { Store } from "../state/store";
import { watch } from "../state/watch";
import { barOf, bytesCell, headCell } from "./entry_cells";
import { nameElement } from "./name";
import { type Panel, whileShown } from "./panel";
import { placeText } from "./scope_bar";
import { VirtualTable } from "./virtual_table";

const mostTypes = 3000;

export class TypesPanel implements Panel {
  readonly element: HTMLElement;
  private readonly about = element("p", { class: "about" });
  private readonly note = element("p", { class: "note", hidden: true }, "No files.");
  private readonly list: PagedList<FileType>;
  private readonly table: VirtualTable<FileType>;

  constructor(private readonly store: Store) {
    this.list = new PagedList<FileType>(
      (_page, signal) => this.ask(signal),
      (error) => store.failed(error),
    );
    this.table = new VirtualTable<FileType>(this.list, {
      label: "Types of files",
      className: "report choosable types",
      keyOf: ({ extension, extension_b64 }) => extension_b64 ?? extension,
      cellsOf: (type) => this.cells(type),
      mark: (line, type) => this.mark(line, type),
      choose: (type) => store.toggleHighlight(this.highlightOf(type)),
    });
    this.table.setHead(
      headCell("Type", "text"),
      headCell("Files", "number count"),
      headCell("Size", "number bytes"),
      headCell("Share", "number share"),
      headCell("Files of the type", "link"),
    );
    this.element = element("div", { class: "filled" }, this.about, this.table.element);
    this.table.element.append(this.note);
    whileShown(
      store,
      "types",
      () => `${store.measure.value === "apparent"} ${store.subject.value}`,
      (changed) => void this.load(changed),
    );
    watch(
      () => void store.highlight.value,
      () => this.table.remark(),
    );
    watch(
      () => void store.colours.value,
      () => this.table.remake(),
    );
  }

  focus(): void {
    this.table.focus();
  }

  private async load(changed: boolean): Promise<void> {
    const { store, list } = this;
    const place = placeText(store);
    setText(
      this.about,
      `Files by extension ${place}. Choose one to light up its files in the map.`,
    );
    await (changed ? list.restart() : list.refresh());
    if (changed) this.table.scrollToTop();
    this.note.hidden = !list.loaded || list.total > 0;
    this.table.setCaption(`Types of files: ${grouped(list.total)}`);
  }

  // All types at once, because numbers of every size fold into one row.
  private async ask(signal: AbortSignal): Promise<Part<FileType>> {
    const { store } = this;
    const path = store.subject.peek();
    const types = await firstRows(
      (page) => api.report("extensions", path, store.measure.peek(), page, signal),
      mostTypes,
    );
    const rows = foldNumbers(types.rows);
    return { ...types, total: rows.length, rows };
  }

  private highlightOf({ extension }: FileType): Highlight {
    return { extension: extension.toLowerCase() };
  }

  private mark(line: HTMLTableRowElement, type: FileType): void {
    mark(line, "aria-selected", String(this.store.isLit(this.highlightOf(type))));
  }

  private cells(type: FileType): HTMLElement[] {
    const { store } = this;
    const fileClass = classOfExtension(type.extension);
    const colour = store.colours.peek().ofClass(fileClass);
    const apparent = store.measure.peek() === "apparent";
    const share = element(
      "span",
      { class: "shared" },
      barOf(type.share),
      element("span", {}, shareText(type.share)),
    );
    return [
      element(
        "th",
        { scope: "row", class: "text" },
        element("span", { class: "cell" }, swatch(colour), titleOf(type)),
      ),
      element("td", { class: "number count" }, grouped(type.files)),
      bytesCell(apparent ? type.apparent_bytes : type.disk_bytes),
      element("td", { class: "number share" }, share),
      element("td", { class: "link" }, this.linkToFiles(type)),
    ];
  }

  // A link to the search for the extension, if it can be written as a plain pattern.
  private linkToFiles({ extension }: FileType): HTMLElement | undefined {
    if (!/^[\w+-]+$/.test(extension)) return undefined;
    const { scope } = this.store.view.peek();
    const query = `*.${extension}`;
    const href = this.store.linkTo({ tab: "search", query, scope, highlight: undefined });
    const label = `List the files of type ${extension}`;
    const link = element("a", { href, title: label, "aria-label": label, tabindex: -1 }, "list");
    link.addEventListener("click", (event) => event.stopPropagation());
    return link;
  }
}

function titleOf({ extension, extension_b64 }: FileType): HTMLElement {
  if (extension === "") return element("span", {}, "none");
  if (extension === numbered) {
    const title = "Names that end in a number: versions, sections of manuals";
    return element("span", { title }, "numbers, as in .so.6");
  }
  return nameElement(pathOf(extension, extension_b64));
}
