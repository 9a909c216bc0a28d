// What this browser tab keeps during a reload.

/** The value that was remembered; undefined without one. */
export function remembered(key: string): unknown {
  try {
    return JSON.parse(window.sessionStorage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined; // The browser refuses storage, or it contains something else.
  }
}

/** Remembers the value; undefined forgets it. */
export function remember(key: string, value: unknown): void {
  try {
    if (value === undefined) window.sessionStorage.removeItem(key);
    else window.sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // As above: it lasts until the page is closed.
  }
}
