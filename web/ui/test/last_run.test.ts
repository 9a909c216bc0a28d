import assert from "node:assert/strict";
import { test } from "node:test";

import { type Applied, Refusal } from "../src/net/api";
import { brokenRunOf, runOf } from "../src/state/last_run";
import { notDone } from "../src/view/outcome";
import { aboutText } from "../src/view/undo_dialog";

const journal = "/home/ana/run.journal";

function applied(done: number, refused: number, failed: number): Applied {
  return { journal, done, refused, failed } as Applied;
}

test("a run that may have moved something can be undone", () => {
  assert.deepEqual(runOf(applied(2, 0, 0)), {
    journal,
    journal_b64: undefined,
    done: 2,
    unsure: 0,
  });
  assert.equal(runOf(applied(0, 0, 1))?.unsure, 1);
});

test("a run of which everything was refused cannot be undone", () => {
  assert.equal(runOf(applied(0, 3, 0)), undefined);
});

test("a run that ended in an error can be undone if the error names its journal", () => {
  const error = new Refusal(409, "another program uses it", { journal, journal_b64: undefined });
  assert.equal(brokenRunOf(error, 3)?.journal, journal);
  assert.equal(brokenRunOf(error, 3)?.unsure, 3);
  assert.equal(brokenRunOf(new Refusal(409, "no review has this digest"), 3), undefined);
});

test("items that were refused and items that failed are told apart", () => {
  assert.equal(notDone({ refused: 0, failed: 0 }), "");
  assert.equal(notDone({ refused: 2, failed: 0 }), " 2 items left alone.");
  assert.equal(notDone({ refused: 0, failed: 1 }), " 1 item failed, and may have been moved.");
});

test("undo promises no more items than were moved", () => {
  assert.match(aboutText({ journal, done: 2 }), /^Moves back the 2 items of/);
  assert.match(
    aboutText({ journal, done: 1, unsure: 1 }),
    /^Moves back what was moved of the 2 items of/,
  );
});
