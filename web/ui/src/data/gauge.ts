// The gauge of a filesystem: what of it is used, and by what.

import type { Status } from "../net/api";
import { bytesText } from "./number";

export interface Gauge {
  readonly size: number;
  readonly used: number;
  readonly scanned: number; // of what is used
  readonly reserved: number; // of what is free: for the administrator
  readonly text: string;
  readonly title: string;
}

/** Undefined if the figures of the filesystem are unknown. */
export function gaugeOf({ filesystem, totals }: Status): Gauge | undefined {
  if (!filesystem) return undefined;
  const { size, free, available, mount_point: place } = filesystem;
  const used = Math.max(0, size - free);
  const scanned = Math.min(totals.disk_bytes, used); // it may have shrunk since
  const reserved = Math.max(0, free - available);
  const rest = reserved > 0 ? "available" : "free";
  const where = place === "" ? "The filesystem" : `The filesystem at ${place}`;
  const parts = [
    `${bytesText(scanned)} in this scan`,
    `${bytesText(used - scanned)} of other files`,
    `${bytesText(available)} ${rest}`,
  ];
  if (reserved > 0) parts.push(`${bytesText(reserved)} reserved`);
  return {
    size,
    used,
    scanned,
    reserved,
    text: `${bytesText(used)} of ${bytesText(size)} used, ${bytesText(available)} ${rest}`,
    title: `${where}: ${parts.join(", ")}`,
  };
}
