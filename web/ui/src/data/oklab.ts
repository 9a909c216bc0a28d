// OKLab and OKLCH: colours by perceived lightness, chroma and hue (Björn Ottosson, 2020).

interface Lab {
  readonly lightness: number; // 0 is black, 1 is white
  readonly a: number;
  readonly b: number;
}

function linear(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function encoded(value: number): number {
  return value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055;
}

/** The red, green and blue of "#rrggbb", 0 to 1. */
export function channelsOf(colour: string): [number, number, number] {
  const channel = (at: number) => Number.parseInt(colour.slice(at, at + 2), 16) / 255;
  return [channel(1), channel(3), channel(5)];
}

function labOf(colour: string): Lab {
  const [red, green, blue] = channelsOf(colour).map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue);
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue);
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue);
  return {
    lightness: 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    a: 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    b: 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  };
}

function linearChannels({ lightness, a, b }: Lab): number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

// A colour that a screen cannot show becomes paler, and keeps its lightness and hue.
function shownAs(lab: Lab): string {
  const { lightness } = lab;
  for (let share = 1; ; share -= 0.05) {
    const channels = linearChannels({ lightness, a: lab.a * share, b: lab.b * share });
    const inside = channels.every((value) => -0.0005 <= value && value <= 1.0005);
    if (!inside && share > 0) continue;
    const digits = channels.map((value) => {
      const byte = Math.round(255 * encoded(Math.min(1, Math.max(0, value))));
      return byte.toString(16).padStart(2, "0");
    });
    return `#${digits.join("")}`;
  }
}

/** The colour with that lightness (0 to 1), chroma (0 to about 0.3) and hue in degrees. */
export function oklch(lightness: number, chroma: number, hue: number): string {
  const angle = (hue * Math.PI) / 180;
  return shownAs({ lightness, a: chroma * Math.cos(angle), b: chroma * Math.sin(angle) });
}

/** The colour, lighter by that much. */
export function lighter(colour: string, by: number): string {
  const lab = labOf(colour);
  return shownAs({ ...lab, lightness: Math.min(1, Math.max(0, lab.lightness + by)) });
}

/** The colour between both; `share` is that of `over`. */
export function mixed(over: string, under: string, share: number): string {
  const below = channelsOf(under);
  const digits = channelsOf(over).map((value, at) => {
    const byte = Math.round(255 * (value * share + below[at]! * (1 - share)));
    return byte.toString(16).padStart(2, "0");
  });
  return `#${digits.join("")}`;
}

/** The distance of two colours as perceived: about 0.02 is the least that is noticed. */
export function distance(one: string, other: string): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(a.lightness - b.lightness, a.a - b.a, a.b - b.b);
}
