// The scope bar: whether reports and searches are about the shown directory or the whole scan.

import { effect } from "@preact/signals-core";

import { shown } from "../data/label";
import type { Path } from "../data/path";
import { byId, element } from "../dom";
import type { Scope, Tab } from "../state/address";
import type { Store } from "../state/store";

// The tabs that are always about the directory.
const fixed: readonly Tab[] = ["directory", "growth"];

/** The directory of a report; undefined if the server has only those of the whole scan. */
export function reportPath(store: Store): Path | undefined {
  return store.extended.value ? store.subject.value : undefined;
}

/** "in /srv/lib" or "in the whole scan". */
export function placeText(store: Store): string {
  const path = reportPath(store);
  if (path === undefined || path === "" || path === store.roots.value.top) {
    return "in the whole scan";
  }
  return `in ${shown(path)}`;
}

const titles: readonly (readonly [Scope, string])[] = [
  ["directory", "This directory"],
  ["all", "Whole scan"],
];

export class ScopeBar {
  constructor(store: Store) {
    const place = byId("scope");
    const inputs = new Map<Scope, HTMLInputElement>();
    for (const [scope, title] of titles) {
      const input = element("input", { type: "radio", name: "scope", value: scope });
      input.addEventListener("change", () => store.go({ scope }, "replace"));
      inputs.set(scope, input);
      place.append(element("label", {}, input, element("span", {}, title)));
    }
    effect(() => {
      const { tab, scope } = store.view.value;
      const atTop = store.directory.value === store.roots.value.top;
      const possible = store.extended.value || tab === "search";
      place.hidden = fixed.includes(tab) || atTop || !possible;
      for (const [name, input] of inputs) input.checked = name === scope;
    });
  }
}
