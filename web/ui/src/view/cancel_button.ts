// The button that cancels a search. It is shown while the search runs.

import { button } from "../dom";
import { api } from "../net/api";
import type { Store } from "../state/store";

export function cancelButton(store: Store): HTMLButtonElement {
  const cancel = () => {
    made.disabled = true;
    api
      .cancel()
      .catch((error: unknown) => store.failed(error))
      .finally(() => {
        made.disabled = false;
      });
  };
  const made = button("Cancel", cancel, { class: "cancel", hidden: true });
  return made;
}
