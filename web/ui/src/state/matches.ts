// The matches of the highlight or search: which boxes of the map are lit.
//
// Facts of the entries in the map decide about types, owners and ages. Only the server knows where
// the entries of an extension, a search or a group of duplicates are; of those, the largest count.

import { computed, effect, signal } from "@preact/signals-core";

import { isWithin, type Path, pathOf } from "../data/path";
import type { Box } from "../map/layout";
import type { Light } from "../map/painter";
import { api } from "../net/api";
import { firstRows } from "../net/first_rows";
import { Slot } from "../net/slot";
import type { Measure } from "./address";
import { fulfils, type Highlight, needsPaths } from "./highlight";
import type { Store } from "./store";

const mostRows = 1000; // entries, or groups of copies
const dimmed = 0.22;
const outside = 0.35; // of a spotlight
const partly = 0.7; // of a box for small entries, some of which match

interface Paths {
  readonly exact: ReadonlySet<Path>;
  readonly above: ReadonlySet<Path>; // the directories that contain them
}

function pathsOf(list: readonly Path[]): Paths {
  const above = new Set<Path>();
  for (const path of list) {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const directory = path.slice(0, at);
      if (above.has(directory)) break;
      above.add(directory);
    }
  }
  return { exact: new Set(list), above };
}

const noPaths = pathsOf([]);

export class Matches {
  /** Whether the selected entry shines alone. */
  readonly spotlight = signal(false);
  private readonly paths = signal<Paths>(noPaths);
  private readonly slot = new Slot();

  // What is searched for at the server, as text, so that it is asked again only if it changes.
  private readonly question = computed(() => {
    const { store } = this;
    const { query } = store.view.value;
    if (!store.ready.value) return "";
    if (store.tab.value === "search" && query !== "") return JSON.stringify({ query });
    const highlight = store.highlight.value;
    return highlight && needsPaths(highlight) ? JSON.stringify(highlight) : "";
  });

  readonly light = computed<Light | undefined>(() => {
    const { store } = this;
    const highlight = store.highlight.value;
    const removable = store.tab.value === "clean" ? store.removable.value : [];
    const paths = removable.length > 0 ? pathsOf(removable) : this.paths.value;
    const now = store.taken.value;
    const selected = store.selected.value;
    if (this.spotlight.value && selected !== undefined) {
      return (box) => (isWithin(box.path, selected) && !isAbove(box, selected) ? 1 : outside);
    }
    if (this.question.value === "" && !highlight && removable.length === 0) return undefined;
    return (box) => lightOf(box, paths, highlight, now);
  });

  constructor(private readonly store: Store) {
    effect(() => void this.load(this.question.value));
  }

  private async load(question: string): Promise<void> {
    const { store } = this;
    const directory = store.directory.value;
    const measure = store.measure.value;
    void store.generation.value;
    if (question === "") {
      this.slot.clear();
      this.paths.value = noPaths;
      return;
    }
    const asked = JSON.parse(question) as Highlight & { query?: string };
    try {
      const list = await this.slot.take((signal) => {
        if (asked.group !== undefined) return copiesOf(asked.group, signal);
        return found(asked.query ?? `*.${asked.extension}`, directory, measure, signal);
      });
      if (list) this.paths.value = pathsOf(list);
    } catch (error) {
      this.paths.value = noPaths;
      store.failed(error);
    }
  }
}

async function found(
  query: string,
  directory: Path,
  measure: Measure,
  signal: AbortSignal,
): Promise<readonly Path[]> {
  const { rows } = await firstRows(async (page) => {
    const answer = await api.search(query, directory, measure, page, signal);
    const paths = answer.results.map(({ path, path_b64 }) => pathOf(path, path_b64));
    return { ...answer, total: answer.matches, rows: paths };
  }, mostRows);
  return rows;
}

// The copies of the file, or of the files in the directory, with themselves.
async function copiesOf(entry: Path, signal: AbortSignal): Promise<readonly Path[]> {
  const { rows } = await firstRows(async (page) => {
    const answer = await api.duplicates(entry, page, signal);
    const copies = answer.groups.map(({ files }) =>
      files.map(({ path, path_b64 }) => pathOf(path, path_b64)),
    );
    return { ...answer, rows: copies };
  }, mostRows);
  return rows.filter((copies) => copies.some((each) => isWithin(each, entry))).flat();
}

// Whether the box is for other entries of the directory, not for itself.
function isAbove(box: Box, path: Path): boolean {
  return box.rest !== undefined && box.path === path && box.depth === 1;
}

function lightOf(box: Box, paths: Paths, highlight: Highlight | undefined, now: number): number {
  const { path, rest, node } = box;
  for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) {
    if (paths.exact.has(path.slice(0, at))) return 1;
  }
  if (rest) return dimmed;
  if (highlight && fulfils(highlight, node, now)) return 1;
  return paths.above.has(path) ? partly : dimmed;
}
