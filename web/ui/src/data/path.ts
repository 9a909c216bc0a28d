// Paths: percent-encoded bytes, in which slashes are not encoded.
//
// File names are bytes and need not be UTF-8, so a plain string cannot represent them. The encoding
// is canonical: two paths are equal exactly if their strings are.
//
//   encodePath(bytesOf("a b", undefined)) === "a%20b"
//   joinPath("/srv", "a%FFb") === "/srv/a%FFb"

export type Path = string;

const kept = new Set(
  Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/", (c) =>
    c.charCodeAt(0),
  ),
);
const hex = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, "0"),
);
const encoder = new TextEncoder();

/** The bytes of a name or path from the interface: text, plus base64 where the text is lossy. */
export function bytesOf(text: string, base64: string | undefined): Uint8Array {
  if (base64 === undefined) return encoder.encode(text);
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

/** A string with a character for each byte. */
export function binaryOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

export function encodePath(bytes: Uint8Array): Path {
  let path = "";
  for (const byte of bytes) path += kept.has(byte) ? String.fromCharCode(byte) : `%${hex[byte]}`;
  return path;
}

/** The same as encodePath(bytesOf(text, base64)). */
export function pathOf(text: string, base64?: string): Path {
  if (base64 === undefined && /^[\w./~-]*$/.test(text)) return text;
  return encodePath(bytesOf(text, base64));
}

/** The bytes of a path, or of any percent-encoded text. Invalid escapes are taken literally. */
export function decodePath(path: Path): Uint8Array {
  const bytes: number[] = [];
  for (let at = 0; at < path.length; ) {
    const encoded = /^%([0-9a-f]{2})/i.exec(path.slice(at, at + 3));
    if (encoded) {
      bytes.push(Number.parseInt(encoded[1]!, 16));
      at += 3;
    } else {
      const character = String.fromCodePoint(path.codePointAt(at)!);
      bytes.push(...encoder.encode(character));
      at += character.length;
    }
  }
  return Uint8Array.from(bytes);
}

/** Encodes the path as a query parameter. */
export function queryOf(path: Path): string {
  return path.replaceAll("/", "%2F");
}

/** The path of the entry with that name in the directory; "" is the place above several roots. */
export function joinPath(directory: Path, name: Path): Path {
  if (directory === "") return name;
  return directory.endsWith("/") ? directory + name : `${directory}/${name}`;
}

/** The part after the last slash. */
export function lastName(path: Path): Path {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Whether the path is the directory or is below it. */
export function isWithin(path: Path, directory: Path): boolean {
  if (directory === "" || path === directory) return true;
  return path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}

/** The part of the path below the directory; the whole path if it is not below it. */
export function partBelow(path: Path, directory: Path): Path {
  if (directory === "" || path === directory || !isWithin(path, directory)) return path;
  return path.slice(directory.length).replace(/^\//, "");
}

/** The roots of a scan. Every path is below one of them. */
export class Roots {
  constructor(readonly paths: readonly Path[]) {}

  /** The only root, or the place above them. */
  get top(): Path {
    return this.paths.length === 1 ? this.paths[0]! : "";
  }

  /** The longest root that contains the path, if any. None contains the place above the roots. */
  rootOf(path: Path): Path | undefined {
    let longest: Path | undefined;
    for (const root of this.paths) {
      if (isWithin(path, root) && root.length > (longest?.length ?? -1)) longest = root;
    }
    return longest;
  }

  /** The parent directory; undefined for the top. */
  parentOf(path: Path): Path | undefined {
    const trail = this.trailOf(path);
    return trail.length > 1 ? trail[trail.length - 2]! : undefined;
  }

  /** The directories from the top to the path. */
  trailOf(path: Path): Path[] {
    const trail: Path[] = this.paths.length === 1 ? [] : [""];
    const root = path === "" ? undefined : this.rootOf(path);
    if (root === undefined) return path === "" ? [this.top] : [...trail, path];
    trail.push(root);
    let at = root;
    for (const name of path.slice(root.length).split("/")) {
      if (name === "") continue;
      at = joinPath(at, name);
      trail.push(at);
    }
    return trail;
  }

  /** The child of the directory that contains the path; undefined if the path is elsewhere. */
  childToward(directory: Path, path: Path): Path | undefined {
    const trail = this.trailOf(path);
    const at = trail.indexOf(directory);
    return at < 0 ? undefined : trail[at + 1];
  }
}
