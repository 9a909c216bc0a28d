// The page as people use it: by keys alone, on small screens, in the dark, by links, and with names
// that mean harm.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import {
  closePage,
  encoded,
  launch,
  look,
  makeTree,
  mediaTree,
  obstacle,
  openPage,
  screenshot,
  serve,
  settled,
  staged,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;

describe("the page", { skip }, () => {
  let tree, server, browser, page;
  staged(mediaTree(), (stage) => ({ tree, server, browser } = stage));

  const focused = () =>
    page.evaluate(() => document.activeElement.id || document.activeElement.tagName);
  const rowIs = (name) =>
    page.waitForFunction(
      (wanted) =>
        document.activeElement.matches("tr") &&
        document.activeElement.querySelector("th .name")?.title === wanted,
      name,
    );

  test("can be used with the keyboard alone", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "skip");
    const seen = [];
    for (let i = 0; i < 30 && seen.at(-1) !== "TR"; ++i) {
      await page.keyboard.press("Tab");
      seen.push(await focused());
    }
    for (const stop of [
      "query",
      "rescan",
      "theme",
      "help",
      "colouring",
      "treemap",
      "splitter",
      "tab-directory",
      "TR",
    ]) {
      assert.ok(seen.includes(stop), `${stop} is reached by Tab, of ${seen}`);
    }
    await rowIs("films");
    await page.keyboard.press("ArrowDown");
    await rowIs("music");
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await settled(page, encoded(tree.root, "films"));
    await rowIs("long.mkv");
    await page.keyboard.press("Backspace");
    await settled(page, tree.root);
    await rowIs("films");

    await page.keyboard.press("m");
    assert.equal(await focused(), "treemap");
    await page.keyboard.press("Home");
    const announced = (text) =>
      page.waitForFunction(
        (wanted) => document.querySelector("#announcements").textContent.includes(wanted),
        text,
      );
    await announced("/films");
    await page.keyboard.press("ArrowRight");
    await announced("/music");
    await screenshot(page, "keyboard");
    await page.keyboard.press("Enter");
    await settled(page, encoded(tree.root, "music"));
    await closePage(page);
  });

  test("sorts, colours, measures and opens tabs by keys", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const says = (part) =>
      page.waitForFunction((wanted) => window.location.hash.includes(wanted), part);
    await page.keyboard.press("n");
    await says("sort=name");
    await page.keyboard.press("n");
    await says("order=desc");
    await page.keyboard.press("c");
    await says("colour=branch");
    await page.keyboard.press("a");
    await says("measure=apparent");
    await page.keyboard.press("5");
    await says("tab=ages");
    await says("colour=age");
    await page.keyboard.press("0");
    await says("tab=search");
    await closePage(page);
  });

  test("has tabs that arrows move between", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.focus("#tab-directory");
    await page.keyboard.press("ArrowRight");
    assert.equal(await focused(), "tab-growth");
    assert.equal(await page.getAttribute("#tab-growth", "aria-selected"), "true");
    assert.equal(await page.getAttribute("#tab-directory", "tabindex"), "-1");
    assert.equal(await page.getAttribute("#panel", "aria-labelledby"), "tab-growth");
    await page.keyboard.press("End");
    assert.equal(await focused(), "tab-search");
    await closePage(page);
  });

  test("lists its keys", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    assert.match(await page.textContent("dialog"), /Backspaceopen the parent directory/);
    await screenshot(page, "keys");
    await page.keyboard.press("Escape");
    await page.waitForSelector("dialog", { state: "hidden" });
    await closePage(page);
  });

  for (const [width, height] of [
    [400, 800],
    [1280, 800],
    [2000, 1100],
  ]) {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      test(`fits ${width} pixels, ${colorScheme}`, async () => {
        page = await openPage(browser, server.url, { width, height, colorScheme });
        await settled(page, tree.root);
        const sizes = await page.evaluate(() => ({
          page: document.documentElement.scrollWidth,
          treemap: document.querySelector("#treemap").getBoundingClientRect().toJSON(),
          table: document.querySelector(".entries").getBoundingClientRect().toJSON(),
        }));
        assert.equal(sizes.page, width, "nothing makes the page scroll sideways");
        assert.ok(sizes.treemap.width > (width < 1800 ? 0.6 : 0.5) * width);
        if (width < 900)
          assert.ok(sizes.treemap.bottom <= sizes.table.top, "the treemap is above the table");
        else assert.ok(sizes.treemap.right <= sizes.table.left, "the treemap is beside the table");
        await screenshot(page, `page-${width}-${colorScheme}`);
        await closePage(page);
      });
    }
  }

  test("shows all about an entry at 400 pixels, in two lines", async () => {
    page = await openPage(browser, server.url, { width: 400, height: 800 });
    await settled(page, tree.root);
    const row = page.locator('.entries tr:has-text("films")');
    const { y: top, height } = await row.boundingBox();
    assert.equal(height, 44);
    for (const [cell, text] of /** @type {[string, RegExp][]} */ ([
      ["name-cell", /films/],
      ["size-cell", /12 MiB6\d\.\d%/],
      ["entries-cell", /^6$/],
      ["time-cell", /^\d{4}-\d\d-\d\d$/],
      ["owner-cell", /\w/],
    ])) {
      const box = await row.locator(`.${cell}`).boundingBox();
      assert.match(await row.locator(`.${cell}`).textContent(), text);
      assert.ok(box.width > 20 && box.x + box.width <= 400, `${cell} is in the window`);
      assert.ok(box.y >= top && box.y + box.height <= top + height + 1, `${cell} is in the row`);
    }
    await page.click('.entries thead button:has-text("Owner")');
    await page.waitForFunction(() => window.location.hash.includes("sort=owner"));
    await closePage(page);
  });

  test("has most room for names beside the map", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const { width } = await page.locator(".entries thead .name-cell").boundingBox();
    assert.ok(width >= 230, `${width} pixels at 1280`);
    await closePage(page);
  });

  test("fits 400 pixels with each of its tables", async () => {
    page = await openPage(browser, server.url, { width: 400, height: 800 });
    await settled(page, tree.root);
    for (const tab of ["types", "ages", "owners", "files", "duplicates", "errors", "search"]) {
      await page.click(`#tab-${tab}`);
      await page.waitForFunction(() => document.querySelector("#panel .about")?.textContent);
      await page.waitForFunction(() => document.querySelector("#panel").textContent.length > 40);
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400, tab);
      await screenshot(page, `page-400-${tab}`);
    }
    await closePage(page);
  });

  test("has no row of the ages behind their head, even if the page is scrolled", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=ages", width: 780, height: 440 });
    await page.waitForSelector(".matrix tbody tr");
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    const head = await page.locator(".matrix thead").boundingBox();
    const row = await page.locator(".matrix tbody tr").first().boundingBox();
    const cells = await page.locator(".matrix thead th").first().boundingBox();
    assert.ok(cells.y + cells.height <= row.y + 1, "the cells of the head are above the row");
    assert.ok(cells.y >= head.y - 1, "and in the head");
    await closePage(page);
  });

  test("answers what is largest, what grew and what can go with one click at most", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    assert.equal((await page.textContent(".entries tbody .name-cell")).includes("films"), true);
    const tabs = await page.locator("#tabs").boundingBox();
    for (const [tab, text] of [
      ["growth", "fathom snapshot"],
      ["clean", "is known to be removable"],
    ]) {
      const { x, width } = await page.locator(`#tab-${tab}`).boundingBox();
      assert.ok(x + width < tabs.x + tabs.width - 36, `${tab} is visible`);
      await page.click(`#tab-${tab}`);
      await page.waitForFunction(
        (wanted) => document.querySelector("#panel").textContent.includes(wanted),
        text,
      );
    }
    await page.click('#panel a:has-text("largest files")');
    await page.waitForSelector('#panel tbody tr:has-text("long.mkv")');
    await closePage(page);
  });

  test("has a column with details and actions at 2000 pixels only", async () => {
    page = await openPage(browser, server.url, { width: 2000, height: 1100 });
    await settled(page, tree.root);
    await page.waitForSelector("#inspector dl");
    await page.focus('.entries tr:has-text("music")');
    await page.waitForSelector('#inspector h2:has-text("music")');
    assert.match(await page.textContent("#inspector dl"), /Share of parent.*Files3.*Newest change/);
    await page.click('#inspector button:has-text("Put into the plan")');
    await page.waitForSelector("#plan:not([hidden])");
    await page.waitForSelector('#inspector button:has-text("Take out of the plan")');
    await screenshot(page, "inspector");
    await page.setViewportSize({ width: 1280, height: 800 });
    assert.ok(await page.isHidden("#inspector"));
    await closePage(page);
  });

  test("has targets of 44 pixels for a finger", async () => {
    page = await openPage(browser, server.url, { width: 400, height: 800, hasTouch: true });
    for (const tab of ["directory", "duplicates", "growth"]) {
      await settled(page, tree.root);
      await page.click(`#tab-${tab}`);
      const small = await page.$$eval(
        "button, select, input:not([type=radio]), .switch span, #crumbs a, tbody tr:not(.gap)",
        (all) =>
          all
            .filter((each) => each.getBoundingClientRect().height > 0)
            .filter((each) => each.getBoundingClientRect().height < 43.5)
            .map((each) => each.outerHTML.slice(0, 80)),
      );
      assert.deepEqual(small, [], tab);
    }
    await screenshot(page, "page-400-touch");
    await closePage(page);
  });

  test("says how full the filesystem is", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    assert.match(await page.textContent("#gauge"), /^\d.* of .* used, .* (free|available)$/);
    const [used, size] = await page.$eval("#gauge [role=meter]", (meter) =>
      ["now", "max"].map((name) => Number(meter.getAttribute(`aria-value${name}`))),
    );
    assert.ok(used > 0 && used <= size, `${used} of ${size}`);
    await closePage(page);
  });

  test("shows where tabs are cut off", async () => {
    page = await openPage(browser, server.url, { width: 400, height: 800 });
    await settled(page, tree.root);
    const ends = () =>
      page.$eval("#tabs", ({ classList }) => [
        classList.contains("more-left"),
        classList.contains("more-right"),
      ]);
    assert.deepEqual(await ends(), [false, true]);
    await page.click("#tab-files");
    await page.waitForSelector("#tabs.more-left.more-right");
    await page.$eval("#tabs", (tabs) => tabs.scrollTo(tabs.scrollWidth, 0));
    await page.waitForSelector("#tabs.more-left:not(.more-right)");
    await closePage(page);
  });

  test("keeps its tooltip inside the map, and shows none for a finger", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const map = await page.locator("#sheet").boundingBox();
    for (const [x, y] of [
      [0.99, 0.99],
      [0.99, 0.1],
      [0.02, 0.98],
    ]) {
      await page.mouse.move(map.x + x * map.width, map.y + y * map.height);
      await page.waitForSelector("#tooltip:not([hidden])");
      const tip = await page.locator("#tooltip").boundingBox();
      assert.ok(tip.x >= map.x - 1 && tip.x + tip.width <= map.x + map.width + 1, `${x}, ${y}`);
      assert.ok(tip.y >= map.y - 1 && tip.y + tip.height <= map.y + map.height + 1, `${x}, ${y}`);
    }
    await closePage(page);

    page = await openPage(browser, server.url, { width: 400, height: 800, hasTouch: true });
    await settled(page, tree.root);
    const { x, y, width, height } = await page.locator("#sheet").boundingBox();
    await page.touchscreen.tap(x + width / 3, y + height / 2);
    await page.waitForFunction(() => document.querySelector("#map-line").textContent !== "");
    assert.ok(await page.isHidden("#tooltip"));
    await closePage(page);
  });

  test("has a splitter, which the browser remembers", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const width = () => page.$eval("#treemap", (map) => map.getBoundingClientRect().width);
    const before = await width();
    const bar = await page.locator("#splitter").boundingBox();
    await page.mouse.move(bar.x + 7, bar.y + 200);
    await page.mouse.down();
    await page.mouse.move(bar.x - 193, bar.y + 200);
    await page.mouse.up();
    const dragged = await width();
    assert.ok(Math.abs(before - dragged - 200) < 12, `${before} to ${dragged}`);
    await page.focus("#splitter");
    await page.keyboard.press("ArrowRight");
    assert.ok((await width()) > dragged);
    const last = await width();
    await page.reload();
    await settled(page, tree.root);
    assert.equal(await width(), last);
    await closePage(page);
  });

  test("is never black while it loads", async () => {
    for (const colorScheme of /** @type {const} */ (["light", "dark"])) {
      page = await openPage(browser, "about:blank", { colorScheme });
      let answer = () => {};
      const held = new Promise((resolve) => {
        answer = () => resolve(undefined);
      });
      await page.route("**/api/1/tree?*", async (route) => {
        await held;
        await route.continue();
      });
      page.problems.length = 0;
      await page.goto(server.url);
      await page.waitForSelector(".entries tbody .name");
      const colours = await page.evaluate(() => {
        const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("#treemap"));
        const [red, green, blue] = canvas.getContext("2d").getImageData(9, 9, 1, 1).data;
        const ground = getComputedStyle(document.querySelector("#sheet")).backgroundColor;
        return [`rgb(${red}, ${green}, ${blue})`, ground];
      });
      assert.equal(colours[0], colours[1]);
      answer();
      await settled(page, tree.root);
      page.problems = page.problems.filter((text) => !text.startsWith(new URL(server.url).origin));
      await closePage(page);
    }
  });

  test("remembers a choice of light or dark", async () => {
    page = await openPage(browser, server.url, { colorScheme: "light" });
    await settled(page, tree.root);
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = [await ground(), await look(page)];
    await page.click("#theme"); // light, as before
    await page.click("#theme"); // dark
    const dark = [await ground(), await look(page)];
    assert.notDeepEqual(dark, light);
    await page.reload();
    await settled(page, tree.root);
    assert.deepEqual([await ground(), await look(page)], dark);
    await closePage(page);
  });

  test("supports links, and goes back and forward", async () => {
    const music = encoded(tree.root, "music");
    page = await openPage(browser, server.url, {
      hash: `#path=${music}&measure=apparent&colour=age&tab=types`,
    });
    await settled(page, music);
    assert.ok(await page.isChecked('#measures input[value="apparent"]'));
    assert.equal(await page.inputValue("#colouring"), "age");
    assert.equal(await page.getAttribute("#tab-types", "aria-selected"), "true");

    await page.click("#tab-directory");
    await page.click("#crumbs li:nth-last-child(2) a");
    await settled(page, tree.root);
    await page.click('.entries a:has-text("films")');
    await settled(page, encoded(tree.root, "films"));
    await page.goBack();
    await settled(page, tree.root);
    await page.goBack();
    await settled(page, music);
    await page.goForward();
    await settled(page, tree.root);
    await closePage(page);
  });

  test("runs the search of a link", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=search&q=%2A.flac" });
    await page.waitForFunction(() =>
      document.querySelector("#panel").textContent.includes("2 matches"),
    );
    assert.equal(await page.inputValue("#query"), "*.flac");
    await closePage(page);
  });
});

describe("malicious names", { skip }, () => {
  const markup = `<img src=x onerror=alert(1)>`;
  const long = `${"long-".repeat(49)}end.txt`;
  /** @type {[string | Buffer, unknown][]} */
  const names = [
    [markup, 30000],
    ["line\nbreak", 28000],
    ["\u202Egpj.exe", 26000],
    ["zero\u200Bwidth", 24000],
    [Buffer.from([0x62, 0xff, 0x79, 0x74, 0x65]), new Map([["inner %41 & = # ?.txt", 9000]])],
    ["back\\slash", 18000],
    ["\x1b[31mred", 16000],
    ["שלום.txt", 14000],
    [long, 12000],
    ["&lt;b&gt;", 10000],
    ["%41%2e%2e", new Map([["x", 8000]])],
  ];
  const hostile = new Map(names);
  let tree, server, browser, page;
  before(async () => {
    tree = await makeTree(hostile);
    server = await serve(tree.root);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await tree?.remove();
  });

  test("are shown escaped, as text", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const shown = await page.$$eval(".entries th .name", (all) =>
      all.map((each) => [each.textContent, each.title, each.querySelectorAll(".escape").length]),
    );
    const texts = shown.map(([text]) => text);
    for (const text of [
      markup,
      "line\\nbreak",
      "\\u202egpj.exe",
      "zero\\u200bwidth",
      "b\\xffyte",
      "back\\\\slash",
      "\\x1b[31mred",
      "שלום.txt",
      "&lt;b&gt;",
      "%41%2e%2e",
      long,
    ]) {
      assert.ok(texts.includes(text), `${text} is among ${texts}`);
    }
    assert.equal(shown.find(([text]) => text === "line\\nbreak")[2], 1, "the escape is set apart");
    assert.equal(
      await page.$$eval(
        "img",
        (all) => all.filter((each) => !each.src.endsWith("/icon.svg")).length,
      ),
      0,
    );
    await screenshot(page, "hostile");
    await closePage(page);
  });

  test("are cut at the end when too long, as one text", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    const { cut, text, parts } = await page.$eval(`.entries .name[title="${long}"]`, (name) => ({
      cut: name.scrollWidth > name.clientWidth,
      text: name.textContent,
      parts: name.children.length,
    }));
    assert.deepEqual({ cut, text, parts }, { cut: true, text: long, parts: 0 });
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1280);
    await closePage(page);
  });

  test("are what remains of a path that is too long", async () => {
    const twins = { "one.bin": "x".repeat(90_000), "two.bin": "x".repeat(90_000) };
    const other = await makeTree({ ["directory ".repeat(12).trim()]: { deep: twins } });
    const its = await serve(other.root);
    try {
      for (const [tab, table] of [
        ["files", "#panel tbody"],
        ["search&q=*.bin", "#panel tbody"],
        ["duplicates", ".groups tbody"],
      ]) {
        page = await openPage(browser, its.url, { hash: `#tab=${tab}`, width: 400, height: 800 });
        await settled(page, other.root);
        if (tab === "duplicates") await page.click("#panel button.main");
        const name = await page.waitForSelector(`${table} .name[title$=".bin"]`);
        const { text, cut, seen } = await name.evaluate((element) => {
          const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
          const node = walker.nextNode();
          const range = document.createRange();
          range.setStart(node, node.textContent.length - 7);
          range.setEnd(node, node.textContent.length);
          const [box, last] = [element.getBoundingClientRect(), range.getBoundingClientRect()];
          return {
            text: element.textContent,
            cut: element.scrollWidth > element.clientWidth,
            seen: last.left >= box.left && last.right <= box.right + 1,
          };
        });
        assert.match(text, /^directory .*\/deep\/(one|two)\.bin$/);
        assert.deepEqual([tab, cut, seen], [tab, true, true]);
        await screenshot(page, `long-${tab.replace(/&.*/, "")}`);
        await closePage(page);
      }
    } finally {
      await its.stop();
      await other.remove();
    }
  });

  test("can be opened and linked to, whatever their bytes", async () => {
    page = await openPage(browser, server.url);
    await settled(page, tree.root);
    await page.click('.entries a:has-text("yte")');
    await settled(page, encoded(tree.root, "b%FFyte"));
    assert.match(page.url(), /b%FFyte/);
    await page.waitForFunction(() =>
      document.querySelector(".entries th .name").title.startsWith("inner"),
    );
    await page.reload();
    await settled(page, encoded(tree.root, "b%FFyte"));
    assert.equal(await page.textContent(".entries th .name"), "inner %41 & = # ?.txt");
    await page.goto(page.url().replace(/#.*/, `#path=${encoded(tree.root, "%2541%252e%252e")}`));
    await settled(page, encoded(tree.root, "%2541%252e%252e"));
    await page.waitForFunction(() => document.querySelector(".entries th .name").title === "x");
    await closePage(page);
  });

  test("do no harm in reports, searches and titles", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=files" });
    await settled(page);
    await page.waitForFunction(
      (text) => document.querySelector("#panel").textContent.includes(text),
      markup,
    );
    await page.fill("#query", "<img");
    await page.waitForFunction(
      (text) => document.querySelector("#panel").textContent.includes(text),
      markup,
    );
    await page.goto(page.url().replace(/#.*/, `#path=${encoded(tree.root, "b%FFyte")}`));
    await settled(page, encoded(tree.root, "b%FFyte"));
    assert.equal(await page.title(), "b\\xffyte - Fathom");
    await closePage(page);
  });
});
