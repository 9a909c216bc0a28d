// The scope bar: whether reports and searches are about the shown directory or the whole scan.

import { effect } from "@preact/signals-core";

import { shown } from "../data/label";
import { byId, element } from "../dom";
import type { Scope, Tab } from "../state/address";
import type { Store } from "../state/store";

// The tabs that are always about the directory.
const fixed: readonly Tab[] = ["directory", "growth"];

/** "in /srv/lib" or "in the whole scan". */
export function placeText(store: Store): string {
  const path = store.subject.value;
  return path === store.roots.value.top ? "in the whole scan" : `in ${shown(path)}`;
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
      place.hidden = fixed.includes(tab) || atTop;
      for (const [name, input] of inputs) input.checked = name === scope;
    });
  }
}
