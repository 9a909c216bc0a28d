// Growth between snapshots, and between a snapshot and the scan.

import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import {
  closePage,
  encoded,
  keepSnapshot,
  launch,
  makeTree,
  obstacle,
  openPage,
  panelSays,
  screenshot,
  serve,
  settled,
} from "./support.mjs";

const skip = (await obstacle()) ?? false;
const MiB = 1024 * 1024;

describe("growth", { skip }, () => {
  let tree, store, server, browser, page;
  before(async () => {
    tree = await makeTree({
      data: { "a.bin": MiB, "b.bin": MiB },
      same: { "c.bin": MiB },
      old: { "d.bin": 2 * MiB },
    });
    store = await mkdtemp(join(tmpdir(), "fathom-store-"));
    await keepSnapshot(tree.root, store, "first");
    await writeFile(join(tree.root, "data", "a.bin"), Buffer.alloc(4 * MiB, 1));
    await keepSnapshot(tree.root, store, "second");
    await rm(join(tree.root, "old"), { recursive: true });
    await writeFile(join(tree.root, "new.bin"), Buffer.alloc(MiB / 2, 1));
    server = await serve("--store", store, tree.root);
    browser = await launch();
  });
  after(async () => {
    await browser?.close();
    await server?.stop();
    await tree?.remove();
    if (store) await rm(store, { recursive: true, force: true });
  });

  const changes = () =>
    page.$$eval(".changes tbody tr", (rows) =>
      rows.map((row) => [
        row.querySelector(".name").title,
        row.querySelector(".change").textContent,
        row.querySelector(".tag")?.textContent,
      ]),
    );

  test("is shown from the latest snapshot to the scan", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=growth" });
    await panelSays(page, "since");
    await page.waitForSelector(".changes tbody .name");
    assert.deepEqual(await changes(), [
      ["old", "−2.0 MiB", "gone"],
      ["new.bin", "+512 KiB", "new"],
      ["data", "0 B", undefined],
      ["same", "0 B", undefined],
    ]);
    assert.match(await page.textContent("#legend"), /doubled, new/);
    await page.waitForSelector(".curve circle.dot.from");
    await screenshot(page, "growth");
    await page.setViewportSize({ width: 2000, height: 1100 });
    const line = '.changes tr:has-text("old") .spark polyline';
    await page.waitForSelector(line, { state: "attached" });
    const points = await page.getAttribute(line, "points");
    assert.equal(points.split(" ").length, 3, "two snapshots and now");
    assert.ok(await page.isVisible('.changes tr:has-text("data") .spark'));
    await screenshot(page, "growth-2000");
    await closePage(page);
  });

  test("is shown from a snapshot to the scan in any directory, and two levels deep", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=growth" });
    await page.waitForSelector(".changes tbody .name");
    const ids = await page.$$eval("#growth-from option", (all) =>
      all.map((option) => option.getAttribute("value")),
    );
    await page.selectOption("#growth-from", ids[1]);
    await page.waitForSelector('.changes tr:has-text("+3.0 MiB")');
    await settled(page, tree.root);
    const map = await page.locator("#sheet").boundingBox();
    await page.mouse.move(map.x + 0.2 * map.width, map.y + 0.4 * map.height);
    await page.waitForFunction(() =>
      /data\/[ab]\.bin/.test(document.querySelector("#map-line").textContent),
    );
    await page.click('.changes a:has-text("data")');
    await settled(page, encoded(tree.root, "data"));
    await page.waitForSelector('.changes tr:has-text("a.bin"):has-text("+3.0 MiB")');
    await closePage(page);
  });

  test("is shown between two snapshots, which the address has", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=growth" });
    await page.waitForSelector(".changes tbody .name");
    const ids = await page.$$eval("#growth-from option", (all) =>
      all.map((option) => option.getAttribute("value")),
    );
    assert.equal(ids.length, 2);
    await page.selectOption("#growth-to", ids[0]);
    await page.waitForFunction(
      () => document.querySelector(".changes tbody .change").textContent === "+3.0 MiB",
    );
    assert.deepEqual((await changes())[0], ["data", "+3.0 MiB", undefined]);
    assert.ok(page.url().includes(`to=${ids[0]}`));
    await page.click('.changes a:has-text("data")');
    await settled(page, encoded(tree.root, "data"));
    await page.waitForFunction(
      () => document.querySelector(".changes tbody .name").title === "a.bin",
    );
    await closePage(page);
  });

  test("goes back to an earlier snapshot by a key", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=growth" });
    await page.waitForSelector(".changes tbody .name");
    await page.keyboard.press("[");
    await page.waitForFunction(
      () => document.querySelector(".changes tbody .change").textContent === "+3.0 MiB",
    );
    assert.match(page.url(), /from=[0-9a-f]{16}/);
    await closePage(page);
  });

  test("has rows that act on their own entries while another directory is compared", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=growth" });
    await page.waitForSelector('.changes tr:has-text("new.bin")');
    const asked = new Promise((resolve) => {
      void page.route("**/api/1/snapshots?*", resolve, { times: 1 }); // gets no answer
    });
    await page.click('.changes a:has-text("data")');
    await asked;
    await page.click('.changes tr:has-text("new.bin") .change');
    await page.keyboard.press("d");
    const plan = await page.evaluate(() => sessionStorage.getItem("fathom-plan"));
    assert.deepEqual(JSON.parse(plan) ?? [], [], "new.bin is not in the shown directory");
    await page.click('.changes tr:has-text("same") .change');
    await settled(page, encoded(tree.root, "same"));
    await page.waitForSelector('.changes tr:has-text("c.bin")');
    await closePage(page);
  });

  test("leaves the map of the scan when another tab is opened", async () => {
    page = await openPage(browser, server.url, { hash: "#tab=growth" });
    await page.waitForSelector(".changes tbody .name");
    await page.click("#tab-directory");
    await page.waitForFunction(() =>
      document.querySelector("#legend").textContent.includes("Video"),
    );
    await settled(page, tree.root);
    await closePage(page);
  });

  test("begins where something has changed, and names what changed most", async () => {
    const other = await makeTree({ same: { "a.bin": MiB } });
    const its = join(store, "changed-once");
    await keepSnapshot(other.root, its, "before");
    await mkdir(join(other.root, "deep", "inner"), { recursive: true });
    await writeFile(join(other.root, "deep", "inner", "new.bin"), Buffer.alloc(MiB, 1));
    await writeFile(join(other.root, "deep", "inner", "small.bin"), Buffer.alloc(MiB / 16, 1));
    await keepSnapshot(other.root, its, "after");
    const itsServer = await serve("--store", its, other.root);
    try {
      page = await openPage(browser, itsServer.url, { hash: "#tab=growth" });
      await panelSays(page, "Changed most: deep +1.1 MiB");
      const from = await page.textContent("#growth-from option:checked");
      assert.match(from, /, before$/, "not the latest, which equals the scan");
      await page.click("#panel .about a");
      await settled(page, other.root);
      await page.waitForSelector('.entries tr[aria-selected="true"]:has-text("deep")');
      await closePage(page);
    } finally {
      await itsServer.stop();
      await other.remove();
    }
  });

  // The titles, and the name, the size and the place before of each entry.
  const lists = () =>
    page.$$eval(".lists ul", (all) =>
      all.map((list) => [
        list.getAttribute("aria-label"),
        ...[...list.querySelectorAll("li")].map((item) =>
          [...item.querySelectorAll(".name, .number")].map((part) => part.textContent).join(" "),
        ),
      ]),
    );

  test("lists what has grown, is new, is gone or was moved", async () => {
    const k3 = { f: 2.9 * MiB };
    const hostile = "<img src=x onerror=alert(1)>\n";
    const other = await makeTree({
      a: { k1: { f: MiB }, k2: { old: MiB }, k3 },
      b: { other: MiB, [hostile]: MiB / 2 },
    });
    const its = join(store, "moved");
    await keepSnapshot(other.root, its, "before");
    await rename(join(other.root, "a", "k3"), join(other.root, "b", "k3"));
    await rm(join(other.root, "a", "k1"), { recursive: true });
    await writeFile(join(other.root, "a", "k2", "new"), Buffer.alloc(4.8 * MiB, 1));
    await writeFile(join(other.root, "b", hostile), Buffer.alloc(0.75 * MiB, 1));
    await keepSnapshot(other.root, its, "after");
    const itsServer = await serve("--store", its, other.root);
    const wanted = [
      ["Grown and shrunk", "b/<img src=x onerror=alert(1)>\\n +256 KiB"],
      ["New", "a/k2/new +4.8 MiB"],
      ["Gone", "a/k1 −1.0 MiB"],
      ["Moved", "b/k3 a/k3 2.9 MiB"],
    ];
    try {
      page = await openPage(browser, itsServer.url, { hash: "#tab=growth" });
      await panelSays(page, "Changed most: a/k2/new +4.8 MiB");
      assert.equal(await page.inputValue("#growth-to"), "now");
      assert.deepEqual(await lists(), wanted, "from a snapshot to the scan");
      await screenshot(page, "growth-lists");
      await page.setViewportSize({ width: 400, height: 800 });
      await screenshot(page, "growth-lists-400");
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.selectOption("#growth-to", { index: 1 });
      await panelSays(page, "from ");
      await panelSays(page, "Changed most: a/k2/new +4.8 MiB");
      assert.deepEqual(await lists(), wanted, "between two snapshots");
      await page.click('.lists a:has-text("a/k1")');
      await settled(page, encoded(other.root, "a"));
      await page.waitForSelector('.changes tr[aria-selected="true"]:has-text("k1")');
      await page.goBack();
      await page.focus('.lists a:has-text("b/k3")');
      await page.keyboard.press("Enter");
      await settled(page, encoded(other.root, "b"));
      await page.waitForSelector('.changes tr[aria-selected="true"]:has-text("k3")');
      await closePage(page);
    } finally {
      await itsServer.stop();
      await other.remove();
    }
  });

  test("keeps the focus in its lists while the scan is updated", async () => {
    const other = await makeTree({ a: { old: MiB } });
    const its = join(store, "live");
    await keepSnapshot(other.root, its, "before");
    await writeFile(join(other.root, "a", "first"), Buffer.alloc(MiB, 1));
    const itsServer = await serve("--live", "--store", its, other.root);
    try {
      page = await openPage(browser, itsServer.url, { hash: "#tab=growth" });
      const compared = () => page.waitForResponse(/api\/1\/diff/);
      await page.focus('.lists a:has-text("a/first")');
      const link = await page.$('.lists a:has-text("a/first")');
      const again = compared();
      await chmod(join(other.root, "a", "old"), 0o600);
      const response = await again;
      assert.match(response.url(), /[?&]top=5&/);
      await response.finished();
      assert.ok(await link.evaluate((one) => one.isConnected), "equal lists stay as they are");
      await writeFile(join(other.root, "a", "second"), Buffer.alloc(2 * MiB, 1));
      await page.waitForSelector('.lists a:has-text("a/second")');
      assert.equal(await page.evaluate(() => document.activeElement.textContent), "a/first");
      await closePage(page);
    } finally {
      await itsServer.stop();
      await other.remove();
    }
  });

  test("says how to begin without snapshots", async () => {
    const other = await serve("--store", join(store, "none"), tree.root);
    page = await openPage(browser, other.url, { hash: "#tab=growth" });
    try {
      await panelSays(page, `fathom snapshot ${tree.root}`);
      await closePage(page);
    } finally {
      await other.stop();
    }
  });
});
