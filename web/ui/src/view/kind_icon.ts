// The icon before a name: a folder, or a square in the colour of the entry in the treemap.

import { icon } from "../dom";

const shapes: Readonly<Record<string, string>> = {
  directory:
    "M1.5 3.5a1 1 0 0 1 1-1h3.6l1.6 1.8h5.8a1 1 0 0 1 1 1v7.200a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1z",
  file: "M3 2.500h10v11h-10z",
  symlink: "M2.5 13.500c0-5 2-7.5 6.5-7.500v-3l5 4.6-5 4.600v-3c-3 0-5 1-6.5 4.300z",
  other: "M8 3l5 5-5 5-5-5z",
};

const words: Readonly<Record<string, string>> = {
  directory: "directory",
  file: "file",
  symlink: "symbolic link",
  other: "special file",
};

export function kindWord(kind: string): string {
  return words[kind] ?? kind;
}

/** Without a colour, it has that of quiet text. */
export function kindIcon(kind: string, colour: string | undefined): SVGSVGElement {
  const drawn = icon(shapes[kind] ?? shapes.other!, `icon kind ${kind}`);
  if (colour !== undefined) drawn.style.color = colour;
  return drawn;
}
