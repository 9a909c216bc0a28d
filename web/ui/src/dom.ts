// Functions that create and change elements. Text is always inserted as text: nothing in the page
// parses HTML.

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) if (child !== undefined) element.append(child);
}

/** Creates an element. Attributes that are undefined or false are not set. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  fill(made, attributes, children);
  return made;
}

/** Creates a button that does this when it is clicked. */
export function button(
  text: string,
  clicked: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  const made = element("button", { type: "button", ...attributes }, text);
  made.addEventListener("click", clicked);
  return made;
}

/** Lets a click outside close the dialog, and creates the button that closes it. */
export function closeButton(dialog: HTMLDialogElement): HTMLButtonElement {
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return button("Close", () => dialog.close());
}

/** Creates a square in the colour. */
export function swatch(colour: string | undefined): HTMLElement {
  const made = element("span", { class: "swatch", "aria-hidden": "true" });
  made.style.backgroundColor = colour ?? "";
  return made;
}

/** Creates an icon: one SVG path in a 16 by 16 box, in the colour of the text. */
export function icon(path: string, className = "icon"): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  fill(drawing, { viewBox: "0 0 16 16", class: className, "aria-hidden": "true" }, []);
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  drawing.append(line);
  return drawing;
}

/** The element of index.html with that id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no #${id}`);
  return found as T;
}

/** Sets the attribute, or removes it. */
export function mark(element: Element, attribute: string, value: string | undefined): void {
  if (value === undefined) element.removeAttribute(attribute);
  else if (element.getAttribute(attribute) !== value) element.setAttribute(attribute, value);
}

/** Sets the text if it differs, so that screen readers announce nothing twice. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}
