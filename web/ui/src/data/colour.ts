// Colours of rectangles: by type, by branch, by age or by owner, for light and dark.
//
// The colours of types are at least 0.10 (light: 0.11, dark: 0.12) apart in OKLab, also for
// colour-blind people. The lightness of the age colours is monotonic, as in viridis. Text on a
// colour is black or white, whichever contrasts more; the ratio is always at least 4.5 to 1.

import { classNames, classOfEntry, type FileClass, fileClasses } from "./file_class";
import { channelsOf, lighter, mixed, oklch } from "./oklab";

export type ColourBy = "type" | "branch" | "age" | "owner";
export type Scheme = "light" | "dark";

/** The properties of an entry that determine its colour. */
export interface Coloured {
  readonly name: string;
  readonly kind: string;
  readonly modified: number | null;
  /** The last modification at or below a directory, if known. */
  readonly newest?: number | null;
  readonly uid: number | null;
  readonly mode: number | null;
}

/** The place of a box in the map. */
export interface Place {
  readonly depth: number;
  readonly branch: number; // index of the branch: the entry of the shown directory it is in
  readonly twig: number; // -1 to 1, the same for all boxes of one entry of the branch
  readonly shade: number; // -1 to 1, similar for all boxes of one directory
  readonly fileClass: FileClass | undefined; // of its largest file, or of most files around it
}

const typeColours: Readonly<Record<Scheme, Readonly<Record<FileClass, string>>>> = {
  light: {
    code: "#718eec",
    document: "#64ccf4",
    image: "#eec65d",
    audio: "#b1768d",
    video: "#d97c44",
    archive: "#ad5e03",
    binary: "#a5e8c5",
    other: "#b8afa3",
  },
  dark: {
    code: "#4772c1",
    document: "#23d0fd",
    image: "#dab742",
    audio: "#7c435f",
    video: "#a24601",
    archive: "#ca8328",
    binary: "#6ab8a5",
    other: "#7f7e79",
  },
};

const neutral: Readonly<Record<Scheme, string>> = { light: "#dfe4ec", dark: "#343b47" };

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
// The steps of the command's report on ages.
const ageSteps: readonly [most: number, text: string, range: string][] = [
  [day, "1 day", "up to 1 day"],
  [7 * day, "1 week", "1 to 7 days"],
  [30 * day, "1 month", "7 to 30 days"],
  [90 * day, "3 months", "1 to 3 months"],
  [180 * day, "6 months", "3 to 6 months"],
  [365 * day, "1 year", "6 to 12 months"],
  [2 * 365 * day, "2 years", "1 to 2 years"],
  [5 * 365 * day, "5 years", "2 to 5 years"],
  [Infinity, "older", "over 5 years"],
];

export const ageRanges: readonly string[] = ageSteps.map(([, , range]) => range);
export const ageTitles: readonly string[] = ageSteps.map(([, text]) => text);

/** The index of the age step; undefined if the time is unknown. */
export function ageStep(modified: number | null, now: number): number | undefined {
  if (modified === null) return undefined;
  return ageSteps.findIndex(([most]) => now - modified <= most);
}

export function ageColour(step: number): string | undefined {
  return ageColours[step];
}

function luminance(colour: string): number {
  const [red, green, blue] = channelsOf(colour).map((part) =>
    part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
  ) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
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

const shades = new Map<string, Map<number, string>>();

// Neighbours of one type in different directories, or at different depths, differ a little.
function shaded(colour: string, { depth, shade }: Place): string {
  const by = (depth % 2 === 0 ? 0.016 : -0.016) + 0.024 * shade;
  let known = shades.get(colour);
  if (!known) {
    known = new Map();
    shades.set(colour, known);
  }
  let shadedColour = known.get(by);
  if (shadedColour === undefined) {
    shadedColour = lighter(colour, by);
    known.set(by, shadedColour);
  }
  return shadedColour;
}

const goldenAngle = 137.508;
const branchColours = new Map<string, string>();

// Hues of following branches are far apart. Colours become darker and stronger with the depth.
function branchColour(scheme: Scheme, { branch, twig, depth, shade }: Place): string {
  const level = Math.min(depth, 7);
  const key = `${scheme}${branch} ${twig} ${level} ${shade.toFixed(2)}`;
  let colour = branchColours.get(key);
  if (colour === undefined) {
    const hue = 255 + goldenAngle * branch + 20 * twig + 6 * shade;
    const start = scheme === "light" ? 0.9 : 0.66;
    const lightness = start - (scheme === "light" ? 0.032 : 0.028) * level + 0.012 * shade;
    colour = oklch(lightness, 0.075 + 0.006 * level, hue % 360);
    branchColours.set(key, colour);
  }
  return colour;
}

/** Entries of directories in the order of their first appearance. Each keeps its colour. */
export class Branches {
  private readonly order = new Map<string, Map<string, number>>();

  /** The number of the entry among the branches of the directory. */
  of(directory: string, entry: string): number {
    let known = this.order.get(directory);
    if (!known) {
      known = new Map();
      this.order.set(directory, known);
    }
    let branch = known.get(entry);
    if (branch === undefined) {
      branch = known.size;
      known.set(entry, branch);
    }
    return branch;
  }
}

/** Owners in the order of their first appearance. Each keeps its colour. */
export class Owners {
  private readonly order = new Map<number, number>();
  private readonly names = new Map<number, string>();

  /** Returns whether that is news. */
  meet(uid: number | null | undefined, name?: string | null): boolean {
    if (uid === null || uid === undefined) return false;
    const known = this.order.has(uid) && (!name || this.names.get(uid) === name);
    if (!this.order.has(uid)) this.order.set(uid, this.order.size);
    if (name) this.names.set(uid, name);
    return !known;
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
  "image",
  "binary",
  "audio",
  "document",
  "video",
  "archive",
];

/** An entry of the legend. */
export interface LegendEntry {
  readonly colour: string;
  readonly text: string;
  /** What is highlighted by choosing the entry, if anything. */
  readonly condition?: { fileClass: FileClass } | { age: number } | { owner: number };
}

/** The colours of entries, and their legend. */
export class Colours {
  private readonly paler = new Map<number, Partial<Record<FileClass, string>>>(); // by share

  constructor(
    readonly by: ColourBy,
    readonly scheme: Scheme,
    readonly now: number,
    private readonly owners: Owners,
  ) {}

  /** The colour of an entry in a table. */
  of(entry: Coloured): string {
    if (this.by === "age") return this.ofAge(entry.newest ?? entry.modified);
    if (this.by === "owner") return this.ofOwner(entry.uid);
    return entry.kind === "directory" ? this.neutral : this.ofClass(classOfEntry(entry));
  }

  /** The colour of a box in the map. */
  inMap(entry: Coloured, place: Place): string {
    if (this.by === "branch") return this.ofBranch(place);
    if (this.by === "type" && entry.kind === "directory") return this.ofMost(place, 0.55);
    const colour = this.of(entry);
    return colour === this.neutral ? colour : shaded(colour, place);
  }

  /** The colour of a box for small entries together. */
  ofRest(place: Place): string {
    if (this.by === "branch") return mixed(this.ofBranch(place), this.neutral, 0.5);
    return this.by === "type" ? this.ofMost(place, 0.4) : this.neutral;
  }

  /** The colour of an entry of the shown directory, by its branch. */
  ofBranch(place: Place): string {
    return branchColour(this.scheme, place);
  }

  /** For what the legend does not cover: rests, and directories when colouring by type. */
  get neutral(): string {
    return neutral[this.scheme];
  }

  ofClass(name: FileClass): string {
    return typeColours[this.scheme][name];
  }

  ofAge(modified: number | null): string {
    const step = ageStep(modified, this.now);
    return step === undefined ? this.neutral : ageColours[step]!;
  }

  ofOwner(uid: number | null): string {
    const name = uid === null ? undefined : ownerClasses[this.owners.rankOf(uid)];
    return name === undefined ? this.neutral : this.ofClass(name);
  }

  /** Empty for branches, whose colours the table shows. */
  legend(): LegendEntry[] {
    if (this.by === "branch") return [];
    if (this.by === "age") {
      return ageTitles.map((text, age) => ({ colour: ageColours[age]!, text, condition: { age } }));
    }
    if (this.by === "owner") return this.legendOfOwners();
    return fileClasses.map((fileClass) => ({
      colour: this.ofClass(fileClass),
      text: classNames[fileClass],
      condition: { fileClass },
    }));
  }

  // What is not divided has the colour of its largest file or of most files around it, paler.
  private ofMost(place: Place, share: number): string {
    if (place.fileClass === undefined) return this.neutral;
    const paler =
      this.paler.get(share)?.[place.fileClass] ?? this.makePaler(share, place.fileClass);
    return shaded(paler, place);
  }

  private makePaler(share: number, fileClass: FileClass): string {
    const colour = mixed(this.ofClass(fileClass), this.neutral, share);
    this.paler.set(share, { ...this.paler.get(share), [fileClass]: colour });
    return colour;
  }

  private legendOfOwners(): LegendEntry[] {
    const uids = this.owners.all();
    const entries: LegendEntry[] = uids.slice(0, ownerClasses.length).map((owner) => ({
      colour: this.ofOwner(owner),
      text: this.owners.nameOf(owner),
      condition: { owner },
    }));
    if (uids.length > ownerClasses.length) entries.push({ colour: this.neutral, text: "others" });
    return entries;
  }
}
