// What the tests read from any element, and keep on the window; TypeScript's own declarations are narrower.

interface Element {
  title: string;
  dataset: DOMStringMap;
}

interface Window {
  seen: Set<string>;
  enough?: boolean;
}
