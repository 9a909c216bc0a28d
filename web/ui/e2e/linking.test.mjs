// Map, table and reports are one selection, which the address has.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  closePage,
  encoded,
  lit,
  look,
  mediaTree,
  obstacle,
  openPage,
  panelSays,
  screenshot,
  settled,
  staged,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;

describe("the selection", { skip }, () => {
  let tree, server, browser, page;
  const content = { ...mediaTree(), code: { Makefile: 30_000, "main.c": 40_000 } };
  staged(content, (stage) => ({ tree, server, browser } = stage));

  test("is made by a click in the map, is in the address, and scrolls the table", async () => {
    // The entries are equally large: the first one in the map is the last row.
    const hash = `#path=${encoded(tree.root, "many")}&sort=name&order=desc`;
    page = await openPage(browser, server.url, { hash });
    await settled(page, encoded(tree.root, "many"));
    await page.click("#treemap", { position: { x: 8, y: 8 } });
    const row = await page.waitForSelector('.entries tr[aria-selected="true"] .name');
    const name = await row.textContent();
    assert.ok(page.url().includes(`select=${encoded(tree.root, "many", name)}`), page.url());
    await page.waitForFunction(() => {
      const { top, bottom } = document
        .querySelector('.entries tr[aria-selected="true"]')
        .getBoundingClientRect();
      const frame = document.querySelector(".scroll").getBoundingClientRect();
      return frame.top <= top && bottom <= frame.bottom + 1;
    });
    await page.reload();
    await settled(page, encoded(tree.root, "many"));
    const again = await page.waitForSelector('.entries tr[aria-selected="true"] .name');
    assert.equal(await again.textContent(), name);
    await closePage(page);
  });

  test("leaves no frame in the map without a selection", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const marks = () =>
      page.$eval("#marks", (canvas) =>
        canvas
          .getContext("2d")
          .getImageData(0, 0, canvas.width, canvas.height)
          .data.some((value) => value !== 0),
      );
    await page.keyboard.press("m");
    await page.focus("#query");
    assert.equal(await marks(), false);
    await closePage(page);
  });

  test("of a search lights up its entries, and dims the others", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const before = await look(page);
    await page.fill("#query", "*.mp4");
    await lit(page, 2);
    assert.notEqual(await look(page), before);
    await screenshot(page, "linked-search");
    await page.click("#tab-directory");
    await page.waitForSelector("#map:not([data-lit])");
    assert.equal(await look(page), before);
    await closePage(page);
  });

  test("of a type, an owner or an age lights up its files, also after a reload", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=types" });
    await settled(page);
    await page.click('.types tbody tr:has-text("mkv")');
    await lit(page, 2);
    assert.match(page.url(), /mark=ext%3Amkv/);
    await page.reload();
    await lit(page, 2);
    await page.click('.types tbody tr:has-text("none")');
    await lit(page, 1);
    await page.keyboard.press("Escape");
    await page.waitForSelector("#map:not([data-lit])");

    await page.click("#tab-owners");
    await page.click('.report tbody tr:has-text("user")');
    await page.waitForFunction(() => Number(document.querySelector("#map").dataset.lit) > 5);
    assert.match(page.url(), /mark=owner%3A\d+/);

    await page.click("#tab-ages");
    await page.click(".matrix tbody tr:first-child button");
    await page.waitForFunction(() => location.hash.includes("mark=age%3A0"));
    assert.equal(
      await page.getAttribute(".matrix tbody tr:first-child button", "aria-pressed"),
      "true",
    );
    await screenshot(page, "linked-age");
    await closePage(page);
  });

  test("of an entry of the legend lights up its class", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.click('#legend button:has-text("Audio")');
    await lit(page, 3);
    assert.equal(
      await page.getAttribute('#legend button:has-text("Audio")', "aria-pressed"),
      "true",
    );
    await page.click('#legend button:has-text("Audio")');
    await page.waitForSelector("#map:not([data-lit])");
    await closePage(page);
  });

  test("of a group of duplicates lights up its copies", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=duplicates" });
    await settled(page);
    await page.click("#panel button.main");
    await page.click(".groups tbody tr");
    await lit(page, 2);
    await page.reload();
    await lit(page, 2);
    await closePage(page);
  });

  test("of a spotlight dims what is not inside", async () => {
    page = await openPage(browser, server.url, {
      hash: `#select=${encoded(tree.root, "films", "series")}`,
    });
    await settled(page, tree.root);
    await page.keyboard.press("h");
    await lit(page, 2);
    await page.keyboard.press("h");
    await page.waitForSelector("#map:not([data-lit])");
    await closePage(page);
  });

  test("makes reports follow the directory, or the whole scan", async () => {
    const films = encoded(tree.root, "films");
    page = await openPage(browser, server.url, { hash: `#path=${films}&tab=types` });
    await settled(page, films);
    await panelSays(page, `in ${films}`);
    const types = () =>
      page.$$eval(".types tbody th", (cells) => cells.map((cell) => cell.textContent));
    await page.waitForSelector(".types tbody th");
    assert.deepEqual(await types(), ["mkv", "mp4"]);
    await page.check('#scope input[value="all"]', { force: true });
    await panelSays(page, "flac");
    assert.match(page.url(), /scope=all/);
    await closePage(page);
  });

  test("survives neither another directory nor an earlier problem", async () => {
    page = await openPage(browser, server.url, {
      hash: `#path=${encoded(tree.root, "gone")}`,
    });
    await settled(page, tree.root);
    await page.waitForSelector(".notice.problem");
    await page.click('.entries a:has-text("films")');
    await settled(page, encoded(tree.root, "films"));
    await page.waitForSelector(".notice.problem", { state: "detached" });
    page.problems = page.problems.filter((text) => !text.includes("404"));
    await closePage(page);
  });
});

describe("a chain of directories", { skip }, () => {
  let tree, server, browser;
  /** @type {object} */
  let chain = { "file.bin": 100_000 };
  for (let level = 0; level < 70; ++level) chain = { [`d${level}`]: chain };
  staged({ chain, other: { "x.bin": 50_000 } }, (stage) => ({ tree, server, browser } = stage));

  test("is one box, in which the file is drawn", async () => {
    const page = await openPage(browser, server.url);
    await settled(page, tree.root);
    // The two directories, their files, and what the directories themselves take.
    const boxes = Number(await page.getAttribute("#map", "data-boxes"));
    assert.ok(boxes <= 9, `${boxes} boxes`);
    await page.fill("#query", "file.bin");
    await lit(page, 1);
    await screenshot(page, "chain");
    await closePage(page);
  });
});
