// The treemap: drawn, pointed at, zoomed, by pointer and by keys.

import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import {
  closePage,
  encoded,
  mediaTree,
  obstacle,
  openPage,
  screenshot,
  serve,
  settled,
  staged,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;

describe("the treemap", { skip }, () => {
  let tree, server, browser, page;
  staged(mediaTree(), (stage) => ({ tree, server, browser } = stage));

  const coloursOf = () =>
    page.$eval("#treemap", (canvas) => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let at = 0; at < data.length; at += 4) {
        colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
      }
      return colours.size;
    });

  // The header of the largest directory is in the upper left corner.
  const largestHeader = { position: { x: 20, y: 9 } };

  test("draws the tree, and sets its performance marks", async (t) => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    assert.ok((await coloursOf()) > 20, "the canvas has many colours");
    const boxes = Number(await page.getAttribute("#map", "data-boxes"));
    assert.ok(boxes >= 12, `${boxes} boxes`);
    await page.waitForFunction(() => performance.getEntriesByName("fathom:painted").length > 0);
    const times = await page.evaluate(() =>
      ["fathom:reply", "fathom:painted"].map(
        (name) => performance.getEntriesByName(name)[0].startTime,
      ),
    );
    assert.ok(times[1] >= times[0]);
    t.diagnostic(`from reply to paint: ${(times[1] - times[0]).toFixed(1)} ms`);
    await screenshot(page, "treemap");
    await closePage(page);
  });

  test("says that a directory is empty", async () => {
    await mkdir(join(tree.root, "nothing"));
    const its = await serve(tree.root);
    try {
      const empty = encoded(tree.root, "nothing");
      page = await openPage(browser, its.url, { hash: `#path=${empty}` });
      await settled(page, empty);
      assert.equal(await page.innerText("#map-empty"), "This directory is empty.");
      await closePage(page);
    } finally {
      await its.stop();
    }
  });

  test("describes its content in words", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const label = await page.getAttribute("#treemap", "aria-label");
    assert.match(label, /^Treemap of .*, \d+ MiB$/);
    assert.match(await page.textContent("#map-summary"), /^films: 12 MiB, 6\d\.\d%; music: /);
    await closePage(page);
  });

  test("zooms into the clicked directory, and out again", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.click("#treemap", largestHeader);
    await settled(page, encoded(tree.root, "films"));
    assert.equal(await page.textContent("#crumbs li:last-child"), "films");
    assert.match(await page.title(), /^films - Fathom$/);
    await page.waitForFunction(
      () => document.querySelector(".entries tbody .name")?.title === "long.mkv",
    );
    await page.click("#crumbs li:nth-last-child(2) a");
    await settled(page, tree.root);
    await closePage(page);
  });

  test("animates zooming, unless reduced motion is preferred", async () => {
    const movesSeen = async (options) => {
      page = await openPage(browser, server.url, options);
      await settled(page, tree.root);
      await page.evaluate(() => {
        /** @type {HTMLCanvasElement} */
        const canvas = document.querySelector("#treemap");
        const copy = document.createElement("canvas");
        copy.width = copy.height = 64;
        const context = copy.getContext("2d", { willReadFrequently: true });
        window.seen = new Set();
        // Each callback is 20 ms later by its time, so that a busy machine skips none.
        const nextFrame = window.requestAnimationFrame.bind(window);
        let calls = 0;
        window.requestAnimationFrame = (draw) => nextFrame(() => draw(20 * ++calls));
        const look = () => {
          context.drawImage(canvas, 0, 0, 64, 64);
          window.seen.add(copy.toDataURL());
          if (!window.enough) requestAnimationFrame(look);
        };
        look();
      });
      await page.click("#treemap", largestHeader);
      await settled(page, encoded(tree.root, "films"));
      const count = await page.evaluate(() => {
        window.enough = true;
        return window.seen.size;
      });
      await closePage(page);
      return count;
    };
    const moving = await movesSeen({ reducedMotion: "no-preference" });
    const still = await movesSeen({ reducedMotion: "reduce" });
    assert.ok(moving > 3, `${moving} different frames on the way`);
    // Before the zoom, from the data at hand, and from the response.
    assert.ok(still <= 3, `${still} different frames without motion`);
  });

  test("describes the box under the pointer, and marks its row", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.hover("#treemap", largestHeader);
    await page.waitForSelector("#tooltip:not([hidden])");
    const text = await page.textContent("#tooltip");
    assert.ok(text.includes(`${tree.root}/films`), text);
    assert.match(text, /12 MiB, 6\d\.\d% of/);
    assert.match(text, /modified \d{4}-\d\d-\d\d \d\d:\d\d/);
    await page.waitForFunction(() =>
      document.querySelector("#tooltip").textContent.includes("6 entries"),
    );
    assert.equal(await page.getAttribute("tr.pointed .name", "title"), "films");
    await screenshot(page, "tooltip");
    await closePage(page);
  });

  test("is coloured by type, age and owner, with a legend", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const legend = () =>
      page.$$eval("#legend li", (items) => items.map((item) => item.textContent));
    assert.ok((await legend()).includes("Video"));
    await page.selectOption("#colouring", "age");
    await page.waitForFunction(() =>
      document.querySelector("#legend").textContent.includes("month"),
    );
    await page.selectOption("#colouring", "owner");
    const owner = await page.textContent(".entries tbody tr .owner-cell");
    await page.waitForFunction(
      (name) => document.querySelector("#legend").textContent.includes(name),
      owner,
    );
    await closePage(page);
  });
});
