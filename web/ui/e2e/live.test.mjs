// The page while a scan runs, and when the server says no or nothing.

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { after, before, describe, test } from "node:test";

import {
  closePage,
  encoded,
  launch,
  makeTree,
  mediaTree,
  names,
  newerMap,
  obstacle,
  openPage,
  save,
  screenshot,
  serve,
  settled,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;

/** Enough directories that a scan with a limited rate takes a while. */
function wideTree() {
  const tree = {};
  for (let i = 0; i < 60; ++i) {
    const directory = {};
    for (let j = 0; j < 20; ++j) directory[`file-${j}.bin`] = 8192;
    tree[`directory-${String(i).padStart(2, "0")}`] = directory;
  }
  return tree;
}

describe("the page while a scan runs", { skip }, () => {
  let tree, browser;
  before(async () => {
    tree = await makeTree(wideTree());
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await tree?.remove();
  });

  test("grows during the scan, and marks its sums as partial", async () => {
    const server = await serve(tree.root, "--max-ops", "40"); // for half a minute
    const page = await openPage(browser, server.url);
    try {
      await page.waitForSelector("body.scanning #map[data-generation]");
      assert.match(
        await page.textContent("#scan"),
        /^Scanning: [\d,]+ entr(y|ies), .* so far, [\d,]+\/s/,
      );
      assert.match(await page.title(), /\(scanning\) - Fathom$/);
      assert.ok(await page.isDisabled('#measures input[value="exclusive"]'));
      assert.match(
        await page.getAttribute('#measures label:has(input[value="exclusive"])', "title"),
        /known when the scan is complete/,
      );
      assert.ok(await page.isDisabled("#rescan"));
      const boxes = () => page.$eval("#map", (map) => Number(map.dataset.boxes));
      await page.waitForFunction(() => Number(document.querySelector("#map").dataset.boxes) > 1);
      const first = await boxes();
      await page.waitForFunction(
        (few) => Number(document.querySelector("#map").dataset.boxes) > few,
        first,
      );
      await screenshot(page, "scanning");
      await closePage(page);
    } finally {
      await server.stop();
    }
  });

  test("shows everything when the scan is complete", async () => {
    const server = await serve(tree.root, "--max-ops", "1000");
    const page = await openPage(browser, server.url);
    try {
      await settled(page, tree.root);
      await page.waitForFunction(
        () => document.querySelector(".entries").getAttribute("aria-rowcount") === "61",
      );
      assert.match(await page.textContent("#scan"), /in 1,261 entries$/);
      assert.ok(await page.isEnabled('#measures input[value="exclusive"]'));
      await closePage(page);
    } finally {
      await server.stop();
    }
  });

  test("scans again on request, also if the scan ends before the response arrives", async () => {
    const server = await serve(tree.root);
    const page = await openPage(browser, server.url);
    try {
      await settled(page, tree.root);
      const before = Number(await page.getAttribute("#map", "data-generation"));
      const title = await page.getAttribute("#rescan", "title");
      assert.equal(title, `Scan the whole of ${tree.root} again`);
      const isScannedAgain = async () => {
        await newerMap(page, before);
        await settled(page, tree.root);
      };
      await page.route("**/api/1/rescan", async (route) => {
        const response = await route.fetch();
        await isScannedAgain();
        await route.fulfill({ response });
      });
      const responded = page.waitForResponse(/rescan/);
      await page.click("#rescan");
      await (await responded).finished();
      await isScannedAgain();
      assert.ok(await page.isEnabled("#rescan"));
      await closePage(page);
    } finally {
      await server.stop();
    }
  });

  test("waits for a directory that has not been found yet", async () => {
    const server = await serve(tree.root, "--max-ops", "250");
    const last = encoded(tree.root, "directory-59");
    const page = await openPage(browser, server.url, { hash: `#path=${last}` });
    try {
      await settled(page, last);
      await page.waitForFunction(
        () => document.querySelector(".entries").getAttribute("aria-rowcount") === "21",
      );
      assert.equal(await page.$$eval(".notice", (all) => all.length), 0);
      // The browser logs each 404 to its console.
      page.problems = page.problems.filter((text) => !text.includes("404"));
      await closePage(page);
    } finally {
      await server.stop();
    }
  });
});

describe("the page and its server", { skip }, () => {
  let tree, browser;
  before(async () => {
    tree = await makeTree(mediaTree());
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await tree?.remove();
  });

  test("removes the token from the address", async () => {
    const server = await serve(tree.root);
    const page = await openPage(browser, server.url);
    try {
      await settled(page, tree.root);
      assert.equal(page.url(), server.url.replace(/\?.*/, ""));
      await page.reload();
      await settled(page, tree.root);
      await closePage(page);
    } finally {
      await server.stop();
    }
  });

  test("is not served without the right token", async () => {
    const server = await serve(tree.root);
    try {
      for (const address of [server.url.replace(/\?.*/, ""), `${server.url}x`]) {
        const page = await browser.newPage();
        const response = await page.goto(address);
        assert.equal(response.status(), 401);
        assert.ok(!(await page.content()).includes(tree.root));
        await page.close();
      }
    } finally {
      await server.stop();
    }
  });

  test("explains what to do when its token is no longer valid", async () => {
    const server = await serve(tree.root);
    const page = await openPage(browser, server.url);
    try {
      await settled(page, tree.root);
      await page.context().clearCookies();
      await page.click("#tab-types");
      await page.waitForSelector("main.alone");
      assert.match(
        await page.textContent("main.alone"),
        /Open the address that it printed when it started/,
      );
      await screenshot(page, "no-token");
      page.problems = page.problems.filter((text) => !text.includes("401"));
      await closePage(page);
    } finally {
      await server.stop();
    }
  });

  test("reports that the server does not respond, and keeps its data", async () => {
    const server = await serve(tree.root);
    const page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await server.stop();
    await page.waitForSelector(".notice.gone");
    assert.match(await page.textContent(".notice.gone"), /The server does not respond/);
    assert.match(await page.textContent(".notice.gone"), /start it again/);
    assert.equal(await page.$$eval(".entries tbody tr", (rows) => rows.length), 5);
    await screenshot(page, "server-gone");
    page.problems = page.problems.filter(
      (text) =>
        !/ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED|EMPTY_RESPONSE|CONNECTION_RESET)/.test(text),
    );
    await closePage(page);
  });

  test("moves to the nearest existing directory, and says so", async () => {
    const server = await serve(tree.root);
    const gone = encoded(tree.root, "films", "gone", "deeper");
    const page = await openPage(browser, server.url, { hash: `#path=${gone}` });
    try {
      await settled(page, encoded(tree.root, "films"));
      await page.waitForSelector(".notice");
      assert.match(
        await page.textContent(".notice"),
        /films\/gone\/deeper is not in this scan\. Showing .*films\./,
      );
      page.problems = page.problems.filter((text) => !text.includes("404"));
      await closePage(page);
    } finally {
      await server.stop();
    }
  });

  test("shows a saved scan, which cannot be scanned again", async () => {
    const file = `${tree.root}.ncdu`;
    await save(tree.root, file);
    const server = await serve("--from", file);
    const page = await openPage(browser, server.url);
    try {
      await settled(page, tree.root);
      assert.equal(await page.$$eval(".entries tbody tr", (rows) => rows.length), 5);
      assert.match(await page.textContent("#scan"), /saved scan/);
      assert.ok(await page.isHidden("#rescan"));
      await page.click("#tab-duplicates");
      await page.waitForFunction(() =>
        document.querySelector("#panel").textContent.includes("in a saved scan"),
      );
      assert.ok(await page.isHidden("#panel button.main"));
      await closePage(page);
    } finally {
      await server.stop();
      await rm(file);
    }
  });

  test("shows several roots below a common place", async () => {
    const [films, music] = ["films", "music"].map((name) => encoded(tree.root, name));
    const server = await serve(films, music);
    const page = await openPage(browser, server.url);
    try {
      await settled(page, "");
      assert.deepEqual(await names(page), [films, music]);
      await page.click(".entries tbody tr:first-child .time-cell");
      await settled(page, films);
      assert.deepEqual(
        await page.$$eval("#crumbs li", (items) => items.map((item) => item.textContent)),
        ["All", films],
      );
      await closePage(page);
    } finally {
      await server.stop();
    }
  });

  test("opens the directory of a linked file", async () => {
    const server = await serve(tree.root);
    const page = await openPage(browser, server.url, {
      hash: `#path=${encoded(tree.root, "code", "README.md")}`,
    });
    try {
      await settled(page, encoded(tree.root, "code"));
      const row = await page.waitForSelector('.entries tbody tr[aria-selected="true"]');
      assert.match(await row.textContent(), /^README\.md/);
      await closePage(page);
    } finally {
      await server.stop();
    }
  });
});
