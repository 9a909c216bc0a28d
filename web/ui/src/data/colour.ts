// Colours of rectangles: by type, by age or by owner, for light and dark.
//
// Types and owners use the palette of Okabe and Ito, which colour-blind people can distinguish. The
// lightness of the age colours is monotonic, as in viridis. Text on a colour is black or white,
// whichever contrasts more; the ratio is always at least 4.5 to 1.

import { classNames, classOf, type FileClass, fileClasses } from "./file_class";

export type ColourBy = "type" | "age" | "owner";
export type Scheme = "light" | "dark";

export interface LegendEntry {
  readonly colour: string;
  readonly text: string;
}

/** The properties of an entry that determine its colour. */
export interface Coloured {
  readonly name: string;
  readonly kind: string;
  readonly modified: number | null;
  readonly uid: number | null;
  readonly mode: number | null;
}

const typeColours: Readonly<Record<Scheme, Readonly<Record<FileClass, string>>>> = {
  light: {
    code: "#3d87c2",
    document: "#8cc8ee",
    image: "#f0dd66",
    audio: "#d993b9",
    video: "#dd7a41",
    archive: "#eeb04a",
    binary: "#45b08f",
    other: "#c6bdb0",
  },
  dark: {
    code: "#2f78b3",
    document: "#6db3dd",
    image: "#d8c64f",
    audio: "#c27fa5",
    video: "#c9622a",
    archive: "#d69a35",
    binary: "#2f9879",
    other: "#aaa193",
  },
};

const neutral: Readonly<Record<Scheme, string>> = { light: "#d3dae3", dark: "#4a525f" };

// Viridis in equal steps, without its dark end, which would not stand out from a dark page.
const ageColours = [
  "#f4e626",
  "#b8de29",
  "#7ad151",
  "#43bf70",
  "#22a884",
  "#26828e",
  "#31688e",
  "#3e4989",
  "#482878",
];

const day = 86400;
const ageSteps: readonly [most: number, text: string][] = [
  [day, "≤ 1 day"],
  [7 * day, "1 week"],
  [30 * day, "1 month"],
  [90 * day, "3 months"],
  [180 * day, "6 months"],
  [365 * day, "1 year"],
  [2 * 365 * day, "2 years"],
  [5 * 365 * day, "5 years"],
  [Infinity, "older"],
];

/** The index of the age step; undefined if the time is unknown. */
export function ageStep(modified: number | null, now: number): number | undefined {
  if (modified === null) return undefined;
  return ageSteps.findIndex(([most]) => now - modified <= most);
}

function channel(value: number): number {
  const part = value / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) =>
    channel(Number.parseInt(colour.slice(at, at + 2), 16)),
  );
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** The WCAG contrast ratio, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light! + 0.05) / (dark! + 0.05);
}

const inks = new Map<string, string>();

/** Black or white, whichever contrasts more with the colour. */
export function inkOn(colour: string): string {
  let ink = inks.get(colour);
  if (ink === undefined) {
    ink = contrast(colour, "#000000") >= contrast(colour, "#ffffff") ? "#000000" : "#ffffff";
    inks.set(colour, ink);
  }
  return ink;
}

/** Owners in the order of their first appearance. Each keeps its colour. */
export class Owners {
  private readonly order = new Map<number, number>();
  private readonly names = new Map<number, string>();

  meet(uid: number | null | undefined, name?: string | null): void {
    if (uid === null || uid === undefined) return;
    if (!this.order.has(uid)) this.order.set(uid, this.order.size);
    if (name) this.names.set(uid, name);
  }

  nameOf(uid: number): string {
    return this.names.get(uid) ?? String(uid);
  }

  rankOf(uid: number): number {
    return this.order.get(uid) ?? Infinity;
  }

  all(): number[] {
    return [...this.order.keys()];
  }
}

const ownerClasses: readonly FileClass[] = [
  "code",
  "archive",
  "binary",
  "audio",
  "document",
  "video",
  "image",
];

const executable = 0o111;

// An executable file without a known extension is a program.
function classOfEntry({ kind, name, mode }: Coloured): FileClass {
  if (kind !== "file") return "other";
  const itsClass = classOf(name);
  return itsClass === "other" && ((mode ?? 0) & executable) !== 0 ? "binary" : itsClass;
}

/** The colours of entries, and their legend. */
export class Colours {
  constructor(
    readonly by: ColourBy,
    readonly scheme: Scheme,
    private readonly now: number,
    private readonly owners: Owners,
  ) {}

  of(entry: Coloured): string {
    if (this.by === "age") return this.ofAge(entry.modified);
    if (this.by === "owner") return this.ofOwner(entry.uid);
    return entry.kind === "directory" ? neutral[this.scheme] : this.ofClass(classOfEntry(entry));
  }

  /** For boxes that the legend does not cover: rests, and directories when colouring by type. */
  get neutral(): string {
    return neutral[this.scheme];
  }

  ofClass(name: FileClass): string {
    return typeColours[this.scheme][name];
  }

  legend(): LegendEntry[] {
    if (this.by === "age") {
      const entries = ageSteps.map(([, text], at) => ({ colour: ageColours[at]!, text }));
      return [...entries, { colour: this.neutral, text: "unknown" }];
    }
    if (this.by === "owner") return this.legendOfOwners();
    const entries = fileClasses.map((name) => ({
      colour: this.ofClass(name),
      text: classNames[name],
    }));
    return [...entries, { colour: this.neutral, text: "Directories" }];
  }

  private ofAge(modified: number | null): string {
    const step = ageStep(modified, this.now);
    return step === undefined ? this.neutral : ageColours[step]!;
  }

  private ofOwner(uid: number | null): string {
    const name = uid === null ? undefined : ownerClasses[this.owners.rankOf(uid)];
    return name === undefined ? this.neutral : this.ofClass(name);
  }

  private legendOfOwners(): LegendEntry[] {
    const uids = this.owners.all();
    const entries = uids.slice(0, ownerClasses.length).map((uid) => ({
      colour: this.ofOwner(uid),
      text: this.owners.nameOf(uid),
    }));
    if (uids.length > ownerClasses.length) entries.push({ colour: this.neutral, text: "others" });
    return entries;
  }
}
