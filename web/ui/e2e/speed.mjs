// Measures the page on a million entries: how soon it is painted, and its frames while it is used.
// Called by ../build speed. The scan is an export that is made here, the same each time.
//
//   CHROMIUM=/usr/bin/chromium FATHOM=build/release/bin/fathom node speed.mjs [ENTRIES]

import { createWriteStream } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";

import { closePage, launch, obstacle, openPage, serve, settled } from "./support.mjs";

const entries = Number(process.argv[2] ?? 1_000_000);
const pages = 11;
const frame = 1000 / 60; // ms
const extensions = ["c", "h", "js", "png", "jpg", "mp4", "flac", "zip", "gz", "pdf", "txt", "so"];

/** A generator of numbers from 0 to below 1, the same each time. */
function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Writes an export of so many entries, whose sizes differ by factors of thousands. */
async function writeExport(file) {
  const random = mulberry(1);
  const out = createWriteStream(file);
  let left = entries;
  let text = '[1,2,{"progname":"ncdu","progver":"2.0","timestamp":1767225600}';
  const flush = async () => {
    if (!out.write(text)) await new Promise((resolve) => out.once("drain", resolve));
    text = "";
  };
  const directory = async (name, depth) => {
    text += `,[{"name":"${name}","asize":4096,"dsize":4096,"dev":1,"mtime":1767000000}`;
    const files = Math.floor(random() ** 2 * 120);
    for (let at = 0; at < files && left > 0; ++at, --left) {
      const size = Math.floor(Math.exp(random() * 8 + random() * 8 + 4));
      const blocks = Math.ceil(size / 4096) * 4096;
      const kind = extensions[Math.floor(random() ** 2 * extensions.length)];
      const time = 1767000000 - Math.floor(random() ** 3 * 1e8);
      text += `,{"name":"file-${at}.${kind}","asize":${size},"dsize":${blocks},"mtime":${time}}`;
    }
    if (text.length > 1 << 20) await flush();
    const inner =
      depth === 0 ? Number.POSITIVE_INFINITY : depth < 7 ? 2 + Math.floor(random() * 8) : 0;
    for (let at = 0; at < inner && left > 0; ++at) {
      --left;
      await directory(`directory-${at}`, depth + 1);
    }
    text += "]";
  };
  await directory("/made", 0);
  text += "]";
  await flush();
  out.end();
  await finished(out);
}

const milliseconds = (time) => `${time.toFixed(1)} ms`;
const sorted = (numbers) => [...numbers].sort((a, b) => a - b);
const quantile = (numbers, share) => sorted(numbers)[Math.floor(share * (numbers.length - 1))];

/** From the reply with the tree to the frame that shows it. */
async function firstPaint(browser, url, width, height) {
  const times = [];
  for (let at = 0; at < pages; ++at) {
    const page = await openPage(browser, url, { width, height });
    await settled(page);
    await page.waitForFunction(() => performance.getEntriesByName("fathom:painted").length > 0);
    const [reply, painted] = await page.evaluate(() =>
      ["fathom:reply", "fathom:painted"].map(
        (name) => performance.getEntriesByName(name)[0].startTime,
      ),
    );
    times.push(painted - reply);
    await closePage(page);
  }
  console.log(
    `painted after the reply, at ${width} pixels: ${milliseconds(quantile(times, 0.5))} ` +
      `(median of ${pages}), at most ${milliseconds(Math.max(...times))}`,
  );
}

/** The frames of the browser while `use` runs. */
async function frames(page, what, use) {
  const counting = page.evaluate(
    () =>
      new Promise((resolve) => {
        const times = [];
        let going = true;
        const count = (time) => {
          times.push(time);
          if (going) requestAnimationFrame(count);
          else resolve(times);
        };
        window.addEventListener("counted", () => (going = false), { once: true });
        requestAnimationFrame(count);
      }),
  );
  await use();
  await page.evaluate(() => window.dispatchEvent(new Event("counted")));
  const times = await counting;
  const gaps = times.slice(1).map((time, at) => time - times[at]);
  const rate = (1000 * gaps.length) / (times.at(-1) - times[0]);
  const late = gaps.filter((gap) => gap > 1.5 * frame).length;
  console.log(
    `${what}, at 1280 pixels: ${rate.toFixed(1)} frames a second, ` +
      `${late} of ${gaps.length} late, the longest ${milliseconds(Math.max(...gaps))}`,
  );
}

async function interactions(browser, url) {
  const page = await openPage(browser, url, { width: 1280, height: 800 });
  await settled(page);
  await page.waitForFunction(() => performance.getEntriesByName("fathom:painted").length > 0);
  const map = await page.locator("#sheet").boundingBox();
  await frames(page, "the pointer moves over the map", async () => {
    for (let at = 0; at < 200; ++at) {
      const x = map.x + (0.05 + 0.9 * ((at * 0.013) % 1)) * map.width;
      await page.mouse.move(x, map.y + (0.05 + 0.9 * ((at * 0.007) % 1)) * map.height);
    }
  });
  await frames(page, "the table scrolls", async () => {
    await page.mouse.move(map.x + map.width + 200, map.y + 300);
    for (let at = 0; at < 120; ++at) await page.mouse.wheel(0, 90);
  });
  const isOpen = (wanted) =>
    page.waitForFunction(
      (path) => document.querySelector("#map").getAttribute("data-path") === path,
      wanted,
    );
  const top = await page.getAttribute("#map", "data-path");
  const boxes = await page.getAttribute("#map", "data-boxes");
  await frames(page, `directories open and close, with ${boxes} rectangles`, async () => {
    for (let at = 0; at < 5; ++at) {
      await page.mouse.click(map.x + 20, map.y + 9);
      await page.waitForSelector(`#map:not([data-path="${top}"])[aria-busy="false"]`);
      await page.keyboard.press("Backspace");
      await isOpen(top);
      await page.waitForSelector('#map[aria-busy="false"]');
    }
  });
  await frames(page, "colours change", async () => {
    for (let at = 0; at < 12; ++at) {
      await page.keyboard.press("c");
      await page.waitForTimeout(150);
    }
  });
  await closePage(page);
}

const why = await obstacle();
if (why) {
  console.error(`web/ui/build: ${why}`);
  process.exit(3);
}
const folder = await mkdtemp(join(tmpdir(), "fathom-speed-"));
const file = join(folder, "export");
await writeExport(file);
const server = await serve("--from", file);
const browser = await launch();
try {
  await firstPaint(browser, server.url, 2000, 1200);
  await firstPaint(browser, server.url, 1280, 800);
  await interactions(browser, server.url);
} finally {
  await browser.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
