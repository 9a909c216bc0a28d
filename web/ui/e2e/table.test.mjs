// The table of the directory, the reports beside it, and the search.

import assert from "node:assert/strict";
import { describe, test } from "node:test";

import {
  closePage,
  encoded,
  mediaTree,
  names,
  newerMap,
  obstacle,
  openPage,
  panelSays,
  screenshot,
  settled,
  staged,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;

describe("the tables", { skip }, () => {
  let tree, server, browser, page;
  staged(mediaTree(), (stage) => ({ tree, server, browser } = stage));

  const firstIs = (name) =>
    page.waitForFunction(
      (wanted) => document.querySelector(".entries tbody .name")?.title === wanted,
      name,
    );

  test("show the largest entry first, and sort by the clicked column", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    assert.deepEqual(await names(page), ["films", "music", "many", "old.zip", "code"]);
    await page.click(".entries thead .name-cell button");
    await firstIs("code");
    assert.deepEqual(await names(page), ["code", "films", "many", "music", "old.zip"]);
    assert.equal(await page.getAttribute(".entries thead .name-cell", "aria-sort"), "ascending");
    assert.equal(await page.getAttribute(".entries thead .size-cell", "aria-sort"), null);
    await page.click(".entries thead .name-cell button");
    await firstIs("old.zip");
    assert.equal(await page.getAttribute(".entries thead .name-cell", "aria-sort"), "descending");
    await closePage(page);
  });

  test("open a directory by a click on its row", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.click(".entries tbody tr:first-child .time-cell");
    await settled(page, encoded(tree.root, "films"));
    await firstIs("long.mkv");
    assert.deepEqual(await names(page), ["long.mkv", "series", "short.mkv"]);
    await closePage(page);
  });

  test("scroll without end, with few rows in the page", async () => {
    page = await openPage(browser, server.url, { hash: `#path=${encoded(tree.root, "many")}` });
    await settled(page, encoded(tree.root, "many"));
    assert.equal(await page.getAttribute(".entries", "aria-rowcount"), "251");
    const seen = new Set(await names(page));
    assert.ok(seen.size < 100, `${seen.size} rows at first`);
    const visibleRowsAreDrawn = () =>
      page.waitForFunction(() => {
        const place = document.querySelector(".scroll").getBoundingClientRect();
        return [...document.querySelectorAll(".entries .gap, .entries .pending")].every((each) => {
          const { top, bottom } = each.getBoundingClientRect();
          return bottom <= place.top || top >= place.bottom;
        });
      });
    for (let i = 0; i < 60 && seen.size < 250; ++i) {
      await page.$eval(".scroll", (place) => place.scrollBy(0, place.clientHeight / 2));
      await visibleRowsAreDrawn();
      for (const name of await names(page)) seen.add(name);
    }
    assert.equal(seen.size, 250);
    await closePage(page);
  });

  test("show rows of one snapshot only", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=search&q=note" });
    await settled(page);
    await page.waitForSelector(".found .name");
    // From now on, answers are of a newer snapshot, in which all files have other names.
    await page.route(/search\?/, async (route) => {
      const response = await route.fetch();
      const answer = JSON.parse((await response.text()).replaceAll("note-", "memo-"));
      await route.fulfill({ response, json: { ...answer, generation: answer.generation + 1 } });
    });
    const shows = (row) =>
      page.waitForFunction(
        (wanted) =>
          document.querySelector(`.found tr[aria-rowindex="${wanted}"]`) &&
          !document.querySelector(".found .pending"),
        row,
      );
    const allAreNew = () =>
      page.$$eval(".found .name", (all) => all.every(({ title }) => title.includes("memo-")));
    await page.$eval(".scroll", (place) => place.scrollTo(0, place.scrollHeight));
    await shows(251);
    assert.ok(await allAreNew(), "what is requested is of the newer snapshot");
    await page.$eval(".scroll", (place) => place.scrollTo(0, 0));
    await shows(2);
    assert.ok(await allAreNew(), "no row of the older snapshot stays");
    await closePage(page);
  });

  test("request nothing for another theme or other colours", async () => {
    page = await openPage(browser, server.url, { hash: `#path=${encoded(tree.root, "films")}` });
    await settled(page, encoded(tree.root, "films"));
    const colour = () => page.$eval(".entries .kind.file", (icon) => icon.getAttribute("style"));
    const before = await colour();
    const requests = [];
    page.on("request", (request) => {
      if (request.url().includes("/api/")) requests.push(request.url());
    });
    await page.selectOption("#colouring", "age");
    const changed = (old) =>
      page.waitForFunction(
        (wanted) => document.querySelector(".entries .kind.file").getAttribute("style") !== wanted,
        old,
      );
    await changed(before);
    await page.selectOption("#colouring", "type");
    await page.waitForFunction(
      (wanted) => document.querySelector(".entries .kind.file").getAttribute("style") === wanted,
      before,
    );
    await page.click("#theme"); // light, as the system
    await page.click("#theme"); // dark
    await changed(before);
    assert.deepEqual(requests, []);
    await closePage(page);
  });

  test("switch to apparent sizes", async () => {
    page = await openPage(browser, server.url, {
      hash: `#path=${encoded(tree.root, "many")}&sort=name`,
    });
    await settled(page, encoded(tree.root, "many"));
    const first = () => page.getAttribute(".entries tbody tr:first-child .size-cell", "title");
    assert.equal(await first(), "4,096 bytes, 0.4%");
    await page.check('#measures input[value="apparent"]', { force: true });
    await page.waitForFunction(() =>
      document.querySelector(".entries tbody .size-cell").title.startsWith("100 bytes,"),
    );
    await closePage(page);
  });

  test("show types, ages, owners, largest files and errors", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const show = async (tab, text) => {
      await page.click(`#tab-${tab}`);
      await page.waitForFunction(
        (wanted) => document.querySelector("#panel").textContent.includes(wanted),
        text,
      );
    };
    await show("types", "mkv");
    await screenshot(page, "types");
    await show("ages", "up to 1 day");
    await show("owners", "user");
    await show("files", "long.mkv");
    await show("errors", "No errors.");
    await closePage(page);
  });

  test("leave the header to say how large the directory is, whichever is shown", async () => {
    const films = encoded(tree.root, "films");
    page = await openPage(browser, server.url, { hash: `#path=${films}&tab=errors` });
    await settled(page, films);
    await page.waitForFunction(
      () => document.querySelector("#here").textContent === "12 MiB in 6 entries",
    );
    await page.click("#crumbs li:nth-last-child(2) a");
    await settled(page, tree.root);
    await page.waitForSelector("#here", { state: "hidden" });
    await closePage(page);
  });

  test("lead from a file in a report to its directory", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=files" });
    await settled(page);
    await page.click('.report a:has-text("short.mkv")');
    await settled(page, encoded(tree.root, "films"));
    const row = await page.waitForSelector('.entries tbody tr[aria-selected="true"]');
    assert.match(await row.textContent(), /^short\.mkv/);
    await closePage(page);
  });

  test("show the results of a search", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.keyboard.press("/");
    await page.keyboard.type("*.MP4");
    await page.waitForFunction(() =>
      document.querySelector("#panel").textContent.includes("2 matches, 3.0 MiB"),
    );
    assert.deepEqual(
      await page.$$eval(".found .name", (all) => all.map((each) => each.title.split("/").pop())),
      ["one.mp4", "two.mp4"],
    );
    await screenshot(page, "search");
    await page.fill("#query", "no such thing");
    await page.waitForFunction(() =>
      document.querySelector("#panel").textContent.includes("No matches."),
    );
    await closePage(page);
  });

  test("offer to cancel a search for duplicates while it runs", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=duplicates" });
    await settled(page);
    assert.ok(await page.isHidden("#panel button.cancel"));
    let state = "running";
    await page.route("**/api/1/duplicates**", async (route) => {
      const response = await page.request.get(`${new URL(server.url).origin}/api/1/duplicates`);
      await route.fulfill({ json: { ...(await response.json()), state } });
    });
    await page.route("**/api/1/cancel", (route) => {
      state = "interrupted";
      return route.fulfill({ status: 202, json: {} });
    });
    await page.click("#panel button.main");
    await page.click("#panel button.cancel");
    await panelSays(page, "The search was interrupted.");
    assert.ok(await page.isHidden("#panel button.cancel"));
    assert.ok(await page.isVisible("#panel button.main"));
    await closePage(page);
  });

  test("find duplicates on request", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=duplicates" });
    await settled(page);
    assert.match(
      await page.textContent("#panel"),
      /This reads every file that has the same size as another file/,
    );
    await page.click("#panel button.main");
    await page.click(".groups tbody tr");
    const group = await page.textContent(".detail");
    assert.match(group, /2 copies, 2\.0 MiB each/);
    assert.match(group, /same as song\.flac/);
    assert.match(page.url(), /mark=group%3A/);
    await screenshot(page, "duplicates");
    await closePage(page);
  });
});

describe("searches", { skip }, () => {
  let tree, server, browser;
  const lock = "package-lock.json";
  const project = { "package.json": "{}", [lock]: "{}", node_modules: { [`.${lock}`]: "{}" } };
  const content = { project, copies: { a: 9000, b: 9000 }, later: { c: 1 } };
  staged(content, (stage) => ({ tree, server, browser } = stage));

  for (const [tab, find] of [
    ["duplicates", "Find duplicates"],
    ["clean", "Look for it"],
  ]) {
    test(`in the tab ${tab} show no other directory's results for a newer directory`, async () => {
      const page = await openPage(browser, server.url, { hash: `#tab=${tab}` });
      await settled(page, tree.root);
      if (tab === "duplicates") await page.click(`#panel button:has-text("${find}")`);
      await page.waitForSelector("#panel tbody tr");
      const search = new RegExp(`/api/1/${tab}\\?`);
      const error = { code: "not_found", message: "not in the scan" };
      await page.route(search, (route) => route.fulfill({ status: 404, json: { error } }));
      const later = encoded(tree.root, "later");
      await page.evaluate((hash) => (location.hash = hash), `#path=${later}&tab=${tab}`);
      await settled(page, later);
      await panelSays(page, "It may be newer than the search.");
      assert.equal(await page.$$eval("#panel tbody tr", (rows) => rows.length), 0);
      assert.ok(await page.isHidden('#panel .keep button:has-text("Plan")'));
      await page.unroute(search);
      await page.click(`#panel button:has-text("${find}")`);
      await panelSays(page, `in ${later}`);
      page.problems = page.problems.filter((text) => !text.includes("404"));
      await closePage(page);
    });
  }
});

describe("a table of more than a thousand rows", { skip }, () => {
  let tree, server, browser;
  const content = {};
  for (let i = 0; i < 1100; ++i) content[`file-${String(i).padStart(4, "0")}`] = "";
  staged(content, (stage) => ({ tree, server, browser } = stage));

  test("stays where it is when it is refreshed", async () => {
    const page = await openPage(browser, server.url, { hash: "#sort=name" });
    await settled(page, tree.root);
    await page.waitForSelector(".entries .name");
    await page.$eval(".scroll", (place) => place.scrollTo(0, place.scrollHeight));
    const lastIs = () =>
      page.waitForFunction(
        () =>
          document.querySelector(".entries tbody tr:last-child .name")?.title === "file-1099" &&
          !document.querySelector(".entries .pending"),
      );
    await lastIs();
    const place = await page.$eval(".scroll", (scroll) => scroll.scrollTop);
    const before = Number(await page.getAttribute("#map", "data-generation"));
    await page.click("#rescan");
    await newerMap(page, before);
    await settled(page, tree.root);
    await lastIs();
    assert.equal(await page.$eval(".scroll", (scroll) => scroll.scrollTop), place);
    await closePage(page);
  });
});
