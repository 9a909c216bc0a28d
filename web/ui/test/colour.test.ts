import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ageStep,
  type ColourBy,
  Colours,
  contrast,
  inkOn,
  Owners,
  type Scheme,
} from "../src/data/colour";
import { classOf, classOfExtension, extensionOf } from "../src/data/file_class";

const day = 86400;
const now = 1_000_000_000;
const schemes: Scheme[] = ["light", "dark"];

function file(
  name: string,
  modified: number | null = now,
  uid: number | null = 0,
  mode = 0o100644,
) {
  return { name, kind: "file", modified, uid, mode };
}

test("contrast follows WCAG", () => {
  assert.equal(contrast("#000000", "#ffffff"), 21);
  assert.equal(contrast("#777777", "#777777"), 1);
  assert.ok(Math.abs(contrast("#777777", "#ffffff") - 4.478) < 0.001);
});

test("text on every colour is legible", () => {
  const owners = new Owners();
  for (let uid = 0; uid < 10; ++uid) owners.meet(uid);
  for (const by of ["type", "age", "owner"] satisfies ColourBy[]) {
    for (const scheme of schemes) {
      for (const { colour, text } of new Colours(by, scheme, now, owners).legend()) {
        assert.ok(contrast(colour, inkOn(colour)) >= 4.5, `${text} in ${scheme}: ${colour}`);
      }
    }
  }
});

test("colours of a legend differ", () => {
  for (const by of ["type", "age"] satisfies ColourBy[]) {
    for (const scheme of schemes) {
      const colours = new Colours(by, scheme, now, new Owners())
        .legend()
        .map(({ colour }) => colour);
      assert.equal(new Set(colours).size, colours.length);
    }
  }
});

// A model of dichromatic vision (Viénot, Brettel and Mollon, 1999): the shares of red and green in
// the colour that replaces both, and the share of their difference in blue.
const deficiencies = {
  "without red": [0.11238, 0.88762, 0.00401],
  "without green": [0.29275, 0.70725, -0.02234],
} as const;

function seen(
  colour: string,
  [ofRed, ofGreen, inBlue]: readonly [number, number, number],
): number[] {
  const linear = [1, 3, 5].map(
    (at) => (Number.parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2,
  );
  const [red, green, blue] = linear as [number, number, number];
  const yellow = ofRed * red + ofGreen * green;
  return [yellow, yellow, blue + inBlue * (red - green)].map(
    (part) => Math.max(0, part) ** (1 / 2.2),
  );
}

for (const [name, deficiency] of Object.entries(deficiencies)) {
  test(`types are distinguishable ${name}`, () => {
    for (const scheme of schemes) {
      const legend = new Colours("type", scheme, now, new Owners()).legend();
      const colours = legend.map(({ colour }) => seen(colour, deficiency));
      colours.forEach((one, i) => {
        for (let j = 0; j < i; ++j) {
          const distance = Math.hypot(...one.map((part, at) => part - colours[j]![at]!));
          assert.ok(
            distance > 0.07,
            `${scheme}: ${legend[i]!.text}, ${legend[j]!.text}: ${distance.toFixed(3)}`,
          );
        }
      });
    }
  });
}

test("the lightness of ages is monotonic", () => {
  const legend = new Colours("age", "light", now, new Owners()).legend().slice(0, -1);
  const brightness = legend.map(({ colour }) => contrast(colour, "#000000"));
  for (let at = 1; at < brightness.length; ++at) assert.ok(brightness[at]! < brightness[at - 1]!);
});

test("each age has its step", () => {
  assert.equal(ageStep(now - day, now), 0);
  assert.equal(ageStep(now - day - 1, now), 1);
  assert.equal(ageStep(now - 4000 * day, now), 8);
  assert.equal(ageStep(now + 100 * day, now), 0);
  assert.equal(ageStep(null, now), undefined);
});

test("files are coloured by type, age and owner", () => {
  const owners = new Owners();
  owners.meet(1000, "ann");
  const by = (colouring: ColourBy) => new Colours(colouring, "light", now, owners);
  const type = by("type");
  assert.equal(type.of(file("a.mkv")), type.ofClass("video"));
  assert.equal(type.of(file("sh", now, 0, 0o100755)), type.ofClass("binary"));
  assert.equal(type.of(file("sh")), type.ofClass("other"));
  assert.equal(type.of({ ...file("a.mkv"), kind: "directory" }), type.neutral);
  assert.notEqual(by("age").of(file("a")), by("age").of(file("a", now - 900 * day)));
  assert.equal(by("owner").of(file("a", now, 1000)), by("owner").legend()[0]!.colour);
  assert.equal(by("owner").of(file("a", now, 7)), by("owner").neutral);
});

test("owners keep their colours, and the first seven have distinct ones", () => {
  const owners = new Owners();
  const colours = new Colours("owner", "dark", now, owners);
  owners.meet(5, "eve");
  const before = colours.of(file("a", now, 5));
  for (let uid = 10; uid < 20; ++uid) owners.meet(uid);
  owners.meet(5);
  assert.equal(colours.of(file("a", now, 5)), before);
  assert.deepEqual(
    colours.legend().map(({ text }) => text),
    ["eve", "10", "11", "12", "13", "14", "15", "others"],
  );
});

test("extensions match those of the command's report", () => {
  assert.equal(extensionOf("A.TXT"), "txt");
  assert.equal(extensionOf(".bashrc"), "");
  assert.equal(extensionOf(".a.b"), "b");
  assert.equal(extensionOf("a.tar.gz"), "gz");
  assert.equal(classOf("libc.so.6"), "binary");
  assert.equal(classOf("README"), "other");
  assert.equal(classOfExtension("FLAC"), "audio");
});
