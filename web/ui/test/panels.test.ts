import assert from "node:assert/strict";
import { test } from "node:test";

import { type AgeRow, ageColumns } from "../src/data/age_columns";
import { type FileType, foldNumbers } from "../src/data/file_types";
import { pairOf } from "../src/data/snapshot_pair";
import type { Snapshot } from "../src/net/api";
import { classText } from "../src/view/clean_panel";

function type(extension: string, share: number): FileType {
  return { extension, files: 1, disk_bytes: 100 * share, apparent_bytes: 10, share };
}

test("numbers are no types: one row has them all, at its place by size", () => {
  const folded = foldNumbers([type("gz", 0.5), type("33", 0.2), type("c", 0.15), type("6", 0.1)]);
  assert.deepEqual(
    folded.map(({ extension }) => extension),
    ["gz", "#", "c"],
  );
  assert.equal(folded[1]!.files, 2);
  assert.ok(Math.abs(folded[1]!.share - 0.3) < 1e-9);
});

test("types without numbers stay as they are", () => {
  const types = [type("7z", 0.6), type("", 0.4)];
  assert.deepEqual(foldNumbers(types), types);
});

function ageRow(uid: number | null, user: string | null, age: string, bytes: number): AgeRow {
  return { uid, user, age, entries: 1, disk_bytes: bytes, apparent_bytes: 1 };
}

test("ages are a column for everyone, then the users with most bytes", () => {
  const columns = ageColumns(
    [
      ageRow(null, null, "1 day", 30),
      ageRow(null, null, "older", 70),
      ageRow(0, "root", "1 day", 30),
      ageRow(1000, null, "older", 60),
      ageRow(null, null, "older", 10),
    ],
    "disk_bytes",
  );
  assert.deepEqual(
    columns.map(({ title, bytes }) => [title, bytes]),
    [
      ["Everyone", 100],
      ["1000", 60],
      ["root", 30],
      ["unknown", 10],
    ],
  );
  assert.equal(columns[1]!.ages.get("older")!.disk_bytes, 60);
});

test("unknown users that follow everyone are not everyone", () => {
  const columns = ageColumns(
    [ageRow(null, null, "older", 10), ageRow(null, null, "older", 10)],
    "disk_bytes",
  );
  assert.deepEqual(
    columns.map(({ title }) => title),
    ["Everyone", "unknown"],
  );
});

const snapshots = ["c", "b", "a"].map((id) => ({ id }) as Snapshot); // the latest first

test("the scan is compared with the latest snapshot, a snapshot with the one before", () => {
  const ids = (from: string, to: string, differing = "abc") => {
    const pair = pairOf(snapshots, from, to, ({ id }) => differing.includes(id));
    return pair && [pair.from.id, pair.to?.id];
  };
  assert.deepEqual(ids("", ""), ["c", undefined]);
  assert.deepEqual(ids("a", ""), ["a", undefined]);
  assert.deepEqual(ids("", "b"), ["a", "b"]);
  assert.deepEqual(ids("c", "a"), ["c", "a"], "also backwards");
  assert.equal(ids("", "a"), undefined, "nothing is before the first one");
  assert.deepEqual(ids("", "", "a"), ["a", undefined], "the latest that differs");
  assert.deepEqual(ids("", "", ""), ["c", undefined], "none differs");
});

test("the sum of a class says what the class means", () => {
  assert.equal(
    classText({ class: "probably", items: 2, used_bytes: 2048, freed_bytes: 2048 }),
    "Probably: 2.0 KiB, 2 items; can be made again, which may take time or a network",
  );
});
