// The page in Firefox: that its parts work there, too. Optional: needs the package firefox-esr.

import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { after, before, describe, test } from "node:test";

import {
  closePage,
  encoded,
  keepSnapshot,
  launchFirefox,
  lit,
  makeTree,
  mediaTree,
  names,
  obstacleToFirefox,
  openPage,
  panelSays,
  screenshot,
  serve,
  settled,
} from "./support.mjs";

const skip = (await obstacleToFirefox()) ?? false;

describe("the page in Firefox", { skip }, () => {
  let tree, server, browser, page;
  before(async () => {
    tree = await makeTree(mediaTree());
    server = await serve(tree.root);
    browser = await launchFirefox();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await tree?.remove();
  });

  // For a picture, an inline style is inserted, which the page's policy blocks and Firefox reports.
  const picture = async (name) => {
    assert.deepEqual(page.problems, []);
    await screenshot(page, name);
    page.problems.length = 0;
  };

  test("draws the map and the table, and opens a directory", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    assert.equal((await names(page))[0], "films");
    assert.ok(Number(await page.getAttribute("#map", "data-boxes")) >= 12);
    assert.match(await page.textContent("#gauge"), /used/);
    await page.click('.entries a:has-text("films")');
    await settled(page, encoded(tree.root, "films"));
    await page.keyboard.press("Backspace");
    await settled(page, tree.root);
    await closePage(page);
  });

  test("lights up a type, searches, and finds duplicates", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=types" });
    await settled(page, tree.root);
    await page.click('#panel tr:has-text("mkv")');
    await lit(page, 2);
    await page.fill("#query", "*.flac");
    await panelSays(page, "song.flac");
    await page.click("#tab-duplicates");
    await page.click("#panel button.main");
    await page.waitForSelector(".groups tbody tr");
    await closePage(page);
  });

  test("compares with a snapshot, in light and dark, at each width", async () => {
    const store = await makeTree({});
    await keepSnapshot(tree.root, store.root, "before");
    await writeFile(`${tree.root}/new.bin`, "x".repeat(1e6));
    const its = await serve("--store", store.root, tree.root);
    try {
      for (const [width, theme] of /** @type {[number, string][]} */ ([
        [400, "dark"],
        [1280, "light"],
        [2000, "dark"],
      ])) {
        page = await openPage(browser, its.url, { hash: "#tab=growth", width, height: 800 });
        await settled(page, tree.root);
        await page.click("#theme"); // light
        if (theme === "dark") await page.click("#theme");
        await page.waitForSelector(`:root[data-theme="${theme}"]`);
        await panelSays(page, "Changed most: new.bin");
        await picture(`firefox-growth-${width}-${theme}`);
        await page.click("#tab-directory");
        await page.waitForSelector(".entries tbody tr");
        const beyond = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        );
        assert.equal(beyond, 0, "nothing makes the page scroll sideways");
        await picture(`firefox-${width}-${theme}`);
        await closePage(page);
      }
    } finally {
      await its.stop();
      await store.remove();
    }
  });

  test("fills the plan and reviews it", async () => {
    page = await openPage(browser, server.url, { width: 400, height: 800 });
    await settled(page, tree.root);
    await page.focus(".entries tbody tr");
    await page.keyboard.press(" ");
    await page.waitForSelector("#plan:not([hidden])");
    await page.keyboard.press("P");
    await page.waitForSelector("#plan-dialog .facts");
    await closePage(page);
  });
});
