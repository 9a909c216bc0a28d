// The facts about an entry, as the inspector lists them.

import type { Entry } from "../net/api";
import { shown } from "./label";
import { agoText, timeText } from "./moment";
import { bytesText, grouped, shareText } from "./number";
import { pathOf } from "./path";

export type Fact = readonly [name: string, value: string];

/** `parent` is the directory of the entry, if there is one; `newest` the last change in it. */
export function factsAbout(
  entry: Entry,
  parent: Entry | undefined,
  newest: number | null,
  now: number,
): Fact[] {
  const bound = entry.flags.includes("incomplete") ? "≥ " : "";
  const size = (bytes: number) => `${bound}${bytesText(bytes)}`;
  const time = (at: number) => `${timeText(at)}, ${agoText(at, now)}`;
  const facts: Fact[] = [["On disk", size(entry.disk_bytes)]];
  if (parent && parent.disk_bytes > 0)
    facts.push(["Share of parent", shareText(entry.disk_bytes / parent.disk_bytes)]);
  facts.push(["Apparent", size(entry.apparent_bytes)]);
  if (entry.exclusive_bytes !== null)
    facts.push(["Freed if deleted", bytesText(entry.exclusive_bytes)]);
  if (entry.kind === "directory") {
    facts.push(["Files", grouped(entry.files)], ["Directories", grouped(entry.dirs)]);
    if (newest !== null) facts.push(["Newest change", time(newest)]);
  }
  if (entry.modified !== null) facts.push(["Modified", time(entry.modified)]);
  const owner = entry.owner === null ? entry.uid : shown(pathOf(entry.owner, entry.owner_b64));
  const group = entry.group === null ? entry.gid : shown(pathOf(entry.group, entry.group_b64));
  if (owner !== null)
    facts.push(["Owner", group === null ? `${owner}` : `${owner}, group ${group}`]);
  if (entry.mode !== null) facts.push(["Permissions", (entry.mode & 0o7777).toString(8)]);
  if (entry.links !== null && entry.links > 1 && entry.kind !== "directory")
    facts.push(["Names of the file", grouped(entry.links)]);
  return facts;
}
