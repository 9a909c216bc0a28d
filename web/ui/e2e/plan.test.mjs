// The plan: what the user has chosen to remove, its sums, its review and its file.

import assert from "node:assert/strict";
import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import {
  closePage,
  encoded,
  lit,
  makeTree,
  mediaTree,
  obstacle,
  openPage,
  panelSays,
  screenshot,
  serve,
  settled,
  staged,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;

describe("the plan", { skip }, () => {
  let tree, server, browser, page;
  staged(mediaTree(), (stage) => ({ tree, server, browser } = stage));

  const open = async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
  };
  const sumsAre = (pattern) =>
    page.waitForFunction(
      (wanted) => new RegExp(wanted).test(document.querySelector("#plan .sums")?.textContent),
      pattern.source,
    );
  const dialogSays = (name, text) =>
    page.waitForFunction(
      ([id, wanted]) => document.getElementById(id).textContent.includes(wanted),
      [`${name}-dialog`, text],
    );
  const codesOf = (its) => its.said().match(/\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/g) ?? [];
  const isThere = (...parts) =>
    access(join(...parts)).then(
      () => true,
      () => false,
    );
  const control = { modifiers: /** @type {["Control"]} */ (["Control"]) };

  test("is filled by Ctrl and a click, by Shift, by Space and by d", async () => {
    await open();
    assert.ok(await page.isHidden("#plan"));
    await page.click('.entries tr:has-text("films") .time-cell', control);
    await sumsAre(/^1 item · 12 MiB · frees 12 MiB once the quarantine is emptied$/);
    await page.click('.entries tr:has-text("many") .time-cell', { modifiers: ["Shift"] });
    await sumsAre(/^3 items/);
    await page.click('.entries tr:has-text("many") .time-cell', control);
    await sumsAre(/^2 items/);
    await page.focus('.entries tr:has-text("code")');
    await page.keyboard.press(" ");
    await sumsAre(/^3 items/);
    await page.click('.entries tr:has-text("old.zip") .time-cell');
    await page.keyboard.press("d");
    await sumsAre(/^4 items/);
    assert.equal(await page.$$eval(".entries tr.planned", (rows) => rows.length), 4);
    await screenshot(page, "plan");
    await page.reload();
    await sumsAre(/^4 items/);
    await page.click('#plan button:has-text("Clear")');
    await page.waitForSelector("#plan", { state: "hidden" });
    await closePage(page);
  });

  test("folds what is inside of a planned directory", async () => {
    await open();
    await page.click('.entries a:has-text("films")');
    await settled(page, encoded(tree.root, "films"));
    await page.click('.entries tr:has-text("long.mkv") .time-cell', control);
    await sumsAre(/^1 item · 6\.0 MiB/);
    await page.keyboard.press("Backspace");
    await settled(page, tree.root);
    await page.click('.entries tr:has-text("films") .time-cell', control);
    await sumsAre(/^1 item · 12 MiB/);
    await closePage(page);
  });

  test("is reviewed on the disk, item by item", async () => {
    await open();
    await page.click('.entries tr:has-text("music") .time-cell', control);
    await page.click('.entries tr:has-text("old.zip") .time-cell', control);
    await sumsAre(/^2 items/);
    await page.keyboard.press("P");
    await page.waitForFunction(() =>
      /^2 items, 5 entries: frees/.test(document.querySelector("#plan-dialog .lead").textContent),
    );
    await screenshot(page, "plan-review");
    await page.click(`#plan-dialog button[aria-label*="old.zip"]`);
    await page.waitForFunction(() =>
      /^1 item, 4 entries/.test(document.querySelector("#plan-dialog .lead").textContent),
    );
    await page.click('#plan-dialog button:has-text("Close")');
    await sumsAre(/^1 item/);
    await closePage(page);
  });

  test("is saved as a file for fathom apply", async () => {
    await open();
    await page.click('.entries tr:has-text("old.zip") .time-cell', control);
    await sumsAre(/^1 item/);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.click('#plan button:has-text("Download")'),
    ]);
    assert.equal(download.suggestedFilename(), "fathom-plan.jsonl");
    const text = await readFile(await download.path(), "utf8");
    assert.ok(text.includes("old.zip"), text);
    for (const line of text.trim().split("\n")) JSON.parse(line);
    await dialogSays("plan", "Saved fathom-plan.jsonl");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click('#plan-dialog dt:has-text("Run") + dd button');
    await dialogSays("plan", "Copied");
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, "fathom apply fathom-plan.jsonl --execute");
    await dialogSays("plan", "fathom clean --purge --execute");
    await screenshot(page, "plan-saved");
    await closePage(page);
  });

  test("takes copies, but never the one that is kept", async () => {
    await open();
    await page.click("#tab-duplicates");
    await page.click("#panel button.main");
    await page.waitForSelector(".groups tbody tr");
    await page.click('#panel button:has-text("Plan the other copies")');
    await sumsAre(/^2 items · 3\.0 MiB/);
    await page.click(".groups tbody tr");
    await page.waitForSelector(".detail .tag");
    assert.equal(await page.$$eval(".detail .tag", (tags) => tags.length), 1);
    await page.selectOption("#keep-rule", "last");
    await page.waitForFunction(() =>
      document.querySelector(".detail li:last-child").textContent.includes("keep"),
    );
    await closePage(page);
  });

  test("takes one of two equal directories as one item", async () => {
    const same = { "a.bin": 100_000, "b.bin": 200_000, sub: { "c.bin": 300_000 } };
    const other = await makeTree({ left: same, right: same, "more.txt": "x" });
    const its = await serve(other.root);
    page = await openPage(browser, its.url, { hash: "#tab=duplicates" });
    try {
      await settled(page, other.root);
      await page.click("#panel button.main");
      await panelSays(page, "directories of 3 equal files");
      assert.equal(await page.$$eval(".groups tbody tr", (rows) => rows.length), 1);
      await page.click(".groups tbody tr");
      await lit(page, 6);
      await page.click('.detail button:has-text("plan")');
      await sumsAre(/^1 item · 6\d\d KiB/);
      await closePage(page);
    } finally {
      await its.stop();
      await other.remove();
    }
  });

  test("is offered in the menu of an entry, next to its path and commands", async () => {
    await open();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click('.entries tr:has-text("music") .time-cell', { button: "right" });
    await page.click('#menu button:has-text("Copy path")');
    await page.waitForSelector('#toast:has-text("Path copied")');
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(copied, encoded(tree.root, "music"));
    await page.click('.entries tr:has-text("music") .time-cell', { button: "right" });
    await page.click('#menu button:has-text("Put into the plan")');
    await sumsAre(/^1 item/);
    await closePage(page);
  });

  test("is applied and undone with codes from the terminal, if the server allows it", async () => {
    const other = await makeTree({ "remove.bin": 500_000, "stay.bin": 100_000 });
    const its = await serve("--allow-apply", other.root);
    page = await openPage(browser, its.url);
    const says = (text) => dialogSays("plan", text);
    const undoSays = (text) => dialogSays("undo", text);
    const codes = () => codesOf(its);
    const exists = () => isThere(other.root, "remove.bin");
    try {
      await settled(page, other.root);
      await page.click('.entries tr:has-text("remove.bin") .time-cell', control);
      await page.keyboard.press("P");
      await page.waitForSelector("#plan-code");
      await page.fill("#plan-code", "AAAA-AAAA");
      await page.click('#plan-dialog button:has-text("Apply to 1 item")');
      await says("code");
      assert.ok(await exists(), "a wrong code changes nothing");
      await page.selectOption("#plan-act", "trash");
      await page.selectOption("#plan-act", "quarantine");
      await page.waitForSelector("#plan-code");
      await page.fill("#plan-code", codes().at(-1));
      await page.click('#plan-dialog button:has-text("Apply to 1 item")');
      await says("1 item moved; ");
      assert.ok(!(await exists()));
      await screenshot(page, "plan-applied");
      await page.click('#plan-dialog button:has-text("Undo the last plan")');
      await page.fill("#undo-code", codes().at(-1));
      await page.click('#undo-dialog button:has-text("Undo")');
      await undoSays("1 item moved back.");
      assert.ok(await exists());
      page.problems = page.problems.filter((text) => !text.includes("403"));
      await closePage(page);
    } finally {
      await its.stop();
      await other.remove();
    }
  });

  test("can be undone after an error that names the journal, but not if nothing was moved", async () => {
    const other = await makeTree({ "remove.bin": 500_000, "stay.bin": 100_000 });
    const its = await serve("--allow-apply", other.root);
    page = await openPage(browser, its.url);
    const answers = [
      {
        status: 200,
        done: 0,
        done_before: 0,
        refused: 1,
        failed: 0,
        held_bytes: 0,
        items: [],
        journal: "/j",
      },
      { status: 409, error: { code: "conflict", message: "the disk is gone", journal: "/j" } },
    ];
    await page.route("**/plan/apply", (route) => {
      const { status, ...json } = answers.shift();
      return route.fulfill({ status, json });
    });
    const undoes = () => page.isVisible('#plan-dialog button:has-text("Undo the last plan")');
    const applyIt = async () => {
      await page.click('.entries tr:has-text("remove.bin") .time-cell', control);
      await page.keyboard.press("P");
      await page.waitForSelector("#plan-code");
      await page.click('#plan-dialog button:has-text("Apply to 1 item")');
    };
    try {
      await settled(page, other.root);
      await applyIt();
      await dialogSays("plan", "1 item left alone");
      assert.ok(!(await undoes()));
      await page.keyboard.press("Escape");
      await applyIt();
      await dialogSays("plan", "the disk is gone");
      await dialogSays("plan", "What was moved can be moved back. Journal: /j");
      assert.ok(await undoes());
      page.problems = page.problems.filter((text) => !text.includes("409"));
      await closePage(page);
    } finally {
      await its.stop();
      await other.remove();
    }
  });

  test("is undone from anywhere by U, also after a reload", async () => {
    const other = await makeTree({ "remove.bin": 500_000, "stay.bin": 100_000 });
    const its = await serve("--allow-apply", other.root);
    page = await openPage(browser, its.url);
    try {
      await settled(page, other.root);
      await page.keyboard.press("U");
      await dialogSays("undo", "has not applied a plan");
      assert.ok(await page.isHidden("#undo-code"));
      await page.keyboard.press("Escape");
      await page.click('.entries tr:has-text("remove.bin") .time-cell', control);
      await page.keyboard.press("P");
      await page.waitForSelector("#plan-code");
      await page.fill("#plan-code", codesOf(its).at(-1));
      await page.keyboard.press("Enter");
      await dialogSays("plan", "1 item moved; ");
      await page.reload();
      await settled(page, other.root);
      await page.click("#tab-types");
      await page.keyboard.press("U");
      await dialogSays("undo", "Moves back the 1 item");
      await page.keyboard.type("AAAA-AAAA");
      await page.keyboard.press("Enter");
      await dialogSays("undo", "not the code");
      await screenshot(page, "undo");
      await page.fill("#undo-code", codesOf(its).at(-1));
      await page.keyboard.press("Enter");
      await dialogSays("undo", "1 item moved back.");
      assert.ok(await isThere(other.root, "remove.bin"));
      await page.keyboard.press("Escape");
      await page.keyboard.press("U");
      await dialogSays("undo", "has not applied a plan");
      page.problems = page.problems.filter((text) => !text.includes("403"));
      await closePage(page);
    } finally {
      await its.stop();
      await other.remove();
    }
  });

  test("cannot be undone by U if the server applies nothing", async () => {
    await open();
    await page.keyboard.press("U");
    await page.keyboard.press("?");
    await page.waitForSelector("#keys[open]");
    assert.ok(await page.isHidden("#undo-dialog"));
    await closePage(page);
  });

  test("finds what can be cleaned, with reasons", async () => {
    await open();
    await page.click("#tab-clean");
    await panelSays(page, "is known to be removable");
    await closePage(page);

    const lock = "package-lock.json";
    const project = {
      "package.json": "{}",
      [lock]: "{}",
      node_modules: { [`.${lock}`]: "{}", left: { "index.js": 300_000 } },
    };
    const many = Array.from({ length: 60 }, (_, at) => [`project-${at}`, project]);
    const other = await makeTree({ project, ...Object.fromEntries(many) });
    const its = await serve(other.root);
    page = await openPage(browser, its.url, { hash: "#tab=clean" });
    try {
      await settled(page, other.root);
      await page.waitForSelector("#map[data-lit]");
      const lit = Number(await page.getAttribute("#map", "data-lit"));
      assert.ok(lit >= 61, `${lit} boxes of node_modules are lit up`);
      await page.click('.clean tbody tr:has-text("node_modules")');
      await panelSays(page, "package.json");
      await page.click('.detail button:has-text("Put into the plan")');
      await sumsAre(/^1 item · 3\d\d KiB/);
      await screenshot(page, "clean");
      await closePage(page);
      // The reasons are next to the chosen row, not below the list, and above the bar of the plan.
      page = await openPage(browser, its.url, { hash: "#tab=clean", width: 400, height: 800 });
      await settled(page, other.root);
      await page.click(".clean tbody tr:nth-child(10)");
      await page.waitForSelector(".detail:not([hidden])");
      await page.click('.detail button:has-text("Put into the plan")');
      await sumsAre(/^1 item/);
      await page.waitForFunction(() => {
        const at = (selector) => document.querySelector(selector).getBoundingClientRect();
        const [row, detail, bar] = [at('tr[aria-selected="true"]'), at(".detail"), at("#plan")];
        return row.top > 0 && row.bottom <= detail.top && Math.abs(detail.bottom - bar.top) <= 1;
      });
      await screenshot(page, "clean-narrow");
      await closePage(page);
    } finally {
      await its.stop();
      await other.remove();
    }
  });
});
