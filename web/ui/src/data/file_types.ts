// The types of files: extensions, of which numbers fold into one.

import { numbered } from "../state/highlight";

/** A type: an extension, files without one, or those that end in a number. */
export interface FileType {
  readonly extension: string; // "#" is a number
  readonly extension_b64?: string | undefined;
  readonly files: number;
  readonly disk_bytes: number;
  readonly apparent_bytes: number;
  readonly share: number;
}

/** The largest first. Numbers are versions or sections of manuals, no types: one row has them all. */
export function foldNumbers(types: readonly FileType[]): FileType[] {
  const isNumber = ({ extension }: FileType) => /^\d+$/.test(extension);
  const numbers = types.filter(isNumber);
  const others = types.filter((type) => !isNumber(type));
  if (numbers.length === 0) return others;
  const sum = (value: (type: FileType) => number) =>
    numbers.reduce((all, type) => all + value(type), 0);
  const folded: FileType = {
    extension: numbered,
    files: sum((type) => type.files),
    disk_bytes: sum((type) => type.disk_bytes),
    apparent_bytes: sum((type) => type.apparent_bytes),
    share: sum((type) => type.share),
  };
  const at = others.findIndex(({ share }) => share < folded.share);
  others.splice(at < 0 ? others.length : at, 0, folded);
  return others;
}
