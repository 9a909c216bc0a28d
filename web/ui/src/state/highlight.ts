// A highlight: the entries that the map shows in full colour, while it dims the others.
//
// Its text is a list of conditions, of which all must hold: "owner:1000,age:7". Paths in it are
// percent-encoded, and so contain neither commas nor colons.

import { ageStep, type Coloured } from "../data/colour";
import {
  classOfEntry,
  endsInNumber,
  extensionOf,
  type FileClass,
  fileClasses,
} from "../data/file_class";
import type { Path } from "../data/path";

export interface Highlight {
  readonly fileClass?: FileClass;
  /** In lower case; "" is a name without an extension, "#" one that ends in a number. */
  readonly extension?: string;
  readonly owner?: number; // a uid
  readonly age?: number; // the index of an age step
  readonly group?: Path; // a duplicate, or a directory of duplicates
}

/** The extension that stands for all numbers, as in kubectl.1.33. */
export const numbered = "#";

export function highlightText(highlight: Highlight): string {
  const { fileClass, extension, owner, age, group } = highlight;
  const parts: string[] = [];
  if (fileClass !== undefined) parts.push(`type:${fileClass}`);
  if (owner !== undefined) parts.push(`owner:${owner}`);
  if (age !== undefined) parts.push(`age:${age}`);
  if (group !== undefined) parts.push(`group:${group}`);
  if (extension !== undefined) parts.push(`ext:${extension}`); // the last: it may contain commas
  return parts.join(",");
}

function numberIn(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,10}$/.test(text) ? Number(text) : undefined;
}

/** Undefined if the text has no condition. */
export function parseHighlight(text: string): Highlight | undefined {
  const extension = /(?:^|,)ext:(.*)$/s.exec(text);
  const rest = extension ? text.slice(0, extension.index) : text;
  const fields = new Map(rest.split(",").map((part) => part.split(":") as [string, string]));
  const fileClass = fileClasses.find((name) => name === fields.get("type"));
  const conditions = {
    fileClass,
    extension: extension?.[1],
    owner: numberIn(fields.get("owner")),
    age: numberIn(fields.get("age")),
    group: fields.get("group") || undefined,
  };
  const given = Object.entries(conditions).filter(([, value]) => value !== undefined);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}

export function sameHighlight(one: Highlight | undefined, other: Highlight | undefined): boolean {
  return (one ? highlightText(one) : "") === (other ? highlightText(other) : "");
}

/** Whether only the server knows all entries of the highlight. */
export function needsPaths(highlight: Highlight): boolean {
  const { extension, group } = highlight;
  return group !== undefined || (extension !== undefined && /^[\w+-]+$/.test(extension));
}

/** Whether the entry fulfils the conditions on its own facts. A group has none: its paths count. */
export function fulfils(highlight: Highlight, entry: Coloured, now: number): boolean {
  const { fileClass, extension, owner, age, group } = highlight;
  if (group !== undefined) return false;
  const isDirectory = entry.kind === "directory";
  if (fileClass !== undefined && (isDirectory || classOfEntry(entry) !== fileClass)) return false;
  if (extension !== undefined && (isDirectory || !hasExtension(entry.name, extension)))
    return false;
  if (owner !== undefined && entry.uid !== owner) return false;
  const time = isDirectory ? (entry.newest ?? entry.modified) : entry.modified;
  return age === undefined || ageStep(time, now) === age;
}

function hasExtension(name: string, extension: string): boolean {
  if (extension === numbered) return endsInNumber(name);
  return extensionOf(name) === extension.toLowerCase();
}
