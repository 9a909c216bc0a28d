// Properties of elements and of the window that the tests use and TypeScript does not declare.

interface Element {
  title: string;
  dataset: DOMStringMap;
}

interface Window {
  seen: Set<string>;
  enough?: boolean;
}
