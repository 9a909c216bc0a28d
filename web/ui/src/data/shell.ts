// Words for a shell: paths quoted so that it takes them literally, whatever bytes they have.

import { binaryOf, decodePath, type Path } from "./path";

const plain = /^[\w@%+=:,./-]+$/;
const printable = /^[ -~]*$/;

/**
 * The path as one word: as it is, in single quotes, or with escapes as $'…', which bash, zsh, ksh
 * and the POSIX shell of 2024 know.
 */
export function shellWord(path: Path): string {
  const text = binaryOf(decodePath(path));
  // A word that begins with a dash would be an option.
  const safe = text.startsWith("-") ? `./${text}` : text;
  if (plain.test(safe)) return safe;
  if (printable.test(safe) && !safe.includes("'")) return `'${safe}'`;
  let escaped = "";
  for (const character of safe) {
    const code = character.charCodeAt(0);
    if (character === "'" || character === "\\") escaped += `\\${character}`;
    else if (0x20 <= code && code < 0x7f) escaped += character;
    else escaped += `\\${code.toString(8).padStart(3, "0")}`; // a digit may follow: always three
  }
  return `$'${escaped}'`;
}
