// Accessibility, checked by axe-core: no violation in any view, in light and in dark.

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { describe, test } from "node:test";

import {
  closePage,
  keepSnapshot,
  makeTree,
  mediaTree,
  obstacle,
  openPage,
  panelSays,
  serve,
  settled,
  staged,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

describe("accessibility", { skip }, () => {
  let tree, server, browser, page;
  staged(mediaTree(), (stage) => ({ tree, server, browser } = stage));

  const violations = async () => {
    // Run as a script of the test, because the page allows no other scripts.
    const found = await page.evaluate(`${axe}; axe.run(document, { resultTypes: ["violations"] })`);
    return found.violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`,
    );
  };

  for (const tab of [
    "directory",
    "types",
    "ages",
    "owners",
    "files",
    "growth",
    "clean",
    "duplicates",
    "errors",
    "search",
  ]) {
    test(`has no violation in the tab ${tab}, in light and in dark`, async () => {
      const hash = `#tab=${tab}${tab === "search" ? "&q=film" : ""}`;
      page = await openPage(browser, server.url, { hash, colorScheme: "light" });
      await settled(page, tree.root);
      assert.deepEqual(await violations(), [], "in light");
      await page.emulateMedia({ colorScheme: "dark" });
      await page.waitForSelector(':root[data-theme="dark"]');
      assert.deepEqual(await violations(), [], "in dark");
      await closePage(page);
    });
  }

  test("has no violation in the plan and its review", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.focus(".entries tbody tr");
    await page.keyboard.press(" ");
    await page.waitForSelector("#plan:not([hidden])");
    assert.deepEqual(await violations(), []);
    await page.keyboard.press("P");
    await page.waitForSelector("#plan-dialog .facts");
    assert.deepEqual(await violations(), []);
    await closePage(page);
  });

  for (const width of [400, 1280]) {
    test(`has no violation in a comparison with a snapshot at ${width} pixels`, async () => {
      const store = await makeTree({});
      await keepSnapshot(tree.root, store.root, "before");
      await writeFile(`${tree.root}/new-${width}.bin`, "x".repeat(1e6));
      const itsServer = await serve("--store", store.root, tree.root);
      try {
        page = await openPage(browser, itsServer.url, { hash: "#tab=growth", width, height: 800 });
        await settled(page, tree.root);
        await panelSays(page, `Changed most: new-${width}.bin`);
        assert.deepEqual(await violations(), []);
        await closePage(page);
      } finally {
        await itsServer.stop();
        await store.remove();
      }
    });
  }

  test("has no violation at 2000 pixels, with details", async () => {
    page = await openPage(browser, server.url, { width: 2000, height: 1100 });
    await settled(page, tree.root);
    await page.waitForSelector("#inspector dl");
    assert.deepEqual(await violations(), []);
    await closePage(page);
  });

  test("has no violation in the list of keys and the menu, and at 400 pixels", async () => {
    page = await openPage(browser, server.url, { width: 400, height: 800 });
    await settled(page, tree.root);
    assert.deepEqual(await violations(), []);
    await page.click(".entries tbody tr .name-cell", { button: "right" });
    await page.waitForSelector("#menu:not([hidden])");
    assert.deepEqual(await violations(), []);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    assert.deepEqual(await violations(), []);
    await closePage(page);
  });
});
