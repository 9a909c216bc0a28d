import assert from "node:assert/strict";
import { test } from "node:test";

import {
  ageStep,
  Branches,
  type ColourBy,
  Colours,
  contrast,
  inkOn,
  Owners,
  type Place,
  type Scheme,
} from "../src/data/colour";
import { classOf, classOfExtension, extensionOf } from "../src/data/file_class";
import { distance } from "../src/data/oklab";

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

test("types are far apart as perceived", () => {
  for (const [scheme, least] of [
    ["light", 0.11],
    ["dark", 0.12],
  ] as const) {
    const legend = new Colours("type", scheme, now, new Owners()).legend();
    legend.forEach(({ colour, text }, at) => {
      for (const other of legend.slice(0, at)) {
        const apart = distance(colour, other.colour);
        assert.ok(apart >= least, `${scheme}: ${text}, ${other.text}: ${apart.toFixed(3)}`);
      }
    });
  }
});

const place = (more: Partial<Place> = {}): Place => ({
  depth: 2,
  branch: 0,
  twig: 0,
  shade: 0,
  fileClass: undefined,
  ...more,
});

test("neighbours of one type in different directories differ, and text on them is legible", () => {
  for (const scheme of schemes) {
    for (const by of ["type", "branch"] satisfies ColourBy[]) {
      const colours = new Colours(by, scheme, now, new Owners());
      for (const name of ["a.c", "a.txt", "a.png", "a.mp3", "a.mkv", "a.gz", "a.so", "a"]) {
        const seen = new Set<string>();
        for (const depth of [1, 2, 3, 4, 5, 6, 7, 8]) {
          for (const shade of [-1, -0.5, 0, 0.5, 1]) {
            const colour = colours.inMap(file(name), place({ depth, shade }));
            assert.ok(contrast(colour, inkOn(colour)) >= 4.5, `${by} ${scheme} ${colour}`);
            seen.add(colour);
          }
        }
        assert.ok(seen.size >= 10, `${seen.size} shades of ${name}`);
      }
    }
  }
});

test("a shade of a type is nearer to its type than to any other", () => {
  for (const scheme of schemes) {
    const colours = new Colours("type", scheme, now, new Owners());
    const legend = colours.legend();
    const own = colours.ofClass("document");
    for (const shade of [-1, 1]) {
      for (const depth of [1, 2]) {
        const colour = colours.inMap(file("a.txt"), place({ depth, shade }));
        for (const other of legend) {
          if (other.colour !== own)
            assert.ok(distance(colour, own) < distance(colour, other.colour), other.text);
        }
      }
    }
  }
});

test("branches that follow each other have different hues, and keep them", () => {
  const branches = new Branches();
  const colours = new Colours("branch", "light", now, new Owners());
  const colourOf = (entry: string) =>
    colours.ofBranch(place({ depth: 1, branch: branches.of("/srv", entry) }));
  const first = ["a", "b", "c", "d", "e"].map(colourOf);
  first.slice(1).forEach((colour, at) => {
    assert.ok(distance(colour, first[at]!) > 0.08);
  });
  branches.of("/srv", "new");
  assert.equal(colourOf("a"), first[0]);
});

test("a directory that is not divided has the colour of most files around it, paler", () => {
  const colours = new Colours("type", "light", now, new Owners());
  const directory = { ...file("d"), kind: "directory" };
  const code = colours.inMap(directory, place({ fileClass: "code" }));
  assert.ok(distance(code, colours.ofClass("code")) < distance(code, colours.ofClass("video")));
  assert.notEqual(code, colours.ofClass("code"));
  assert.equal(colours.inMap(directory, place()), colours.neutral);
});

test("the lightness of ages is monotonic", () => {
  const legend = new Colours("age", "light", now, new Owners()).legend();
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
