// The button that cancels a search. It is shown while the search runs.

import { element } from "../dom";
import { api } from "../net/api";
import type { Store } from "../state/store";

export function cancelButton(store: Store): HTMLButtonElement {
  const button = element("button", { type: "button", class: "cancel", hidden: true }, "Cancel");
  button.addEventListener("click", () => {
    button.disabled = true;
    api
      .cancel()
      .catch((error: unknown) => store.failed(error))
      .finally(() => {
        button.disabled = false;
      });
  });
  return button;
}
