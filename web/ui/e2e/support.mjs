// What the tests in a browser share: a tree, the command that serves it, and pages that mind their
// console.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { access, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before } from "node:test";

import { chromium, firefox } from "playwright-core";

// Chromium without windows: it takes less than half of the processor time.
const shellPath = "/usr/bin/chromium-headless-shell";
const browserPath =
  process.env.CHROMIUM ?? (existsSync(shellPath) ? shellPath : "/usr/bin/chromium");
const firefoxPath = process.env.FIREFOX ?? "/usr/bin/firefox-esr";
const browserArguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Why the tests cannot run here; undefined if they can. */
export async function obstacle() {
  try {
    await access(browserPath);
  } catch {
    return `there is no browser at ${browserPath}; CHROMIUM names another`;
  }
  return undefined;
}

/** Why the tests in Firefox cannot run here; undefined if they can. */
export async function obstacleToFirefox() {
  try {
    await access(firefoxPath);
  } catch {
    return `there is no Firefox at ${firefoxPath}; FIREFOX names another`;
  }
  return undefined;
}

/** Firefox as the distribution packages it, by WebDriver BiDi. */
export function launchFirefox() {
  return firefox.launch({ executablePath: firefoxPath, channel: "moz-firefox" });
}

/** Creates a folder from the object: texts and sizes are files, further objects are folders. */
export async function makeTree(content) {
  const root = await mkdtemp(join(tmpdir(), "fathom-page-"));
  await fill(Buffer.from(root), content);
  return { root, remove: () => rm(root, { recursive: true, force: true }) };
}

async function fill(directory, content) {
  const entries = content instanceof Map ? content : new Map(Object.entries(content));
  for (const [name, what] of entries) {
    const path = Buffer.concat([directory, Buffer.from("/"), Buffer.from(name)]);
    if (typeof what === "number") await writeFile(path, Buffer.alloc(what, "fathom"));
    else if (typeof what === "string") await writeFile(path, what);
    else {
      await mkdir(path);
      await fill(path, what);
    }
  }
}

const KiB = 1024;
const MiB = 1024 * KiB;

/** Mostly films, then music, code, and a directory with many names. */
export function mediaTree() {
  const many = {};
  for (let i = 0; i < 250; ++i) many[`note-${String(i).padStart(3, "0")}.txt`] = 100 + i;
  return {
    films: {
      "short.mkv": 3 * MiB,
      "long.mkv": 6 * MiB,
      series: { "one.mp4": 2 * MiB + 4 * KiB, "two.mp4": MiB },
    },
    music: { "song.flac": 2 * MiB, "tune.ogg": MiB, "same as song.flac": 2 * MiB },
    code: { src: { "main.c": 40 * KiB, "tree.c": 80 * KiB }, "README.md": 8 * KiB },
    many,
    "old.zip": 500 * KiB,
  };
}

/** Starts the command that FATHOM names, with the paths and options. */
export async function serve(...more) {
  const command = process.env.FATHOM;
  // Plans and journals are kept there, which are nothing to leave behind.
  const state = await mkdtemp(join(tmpdir(), "fathom-state-"));
  const child = spawn(command, ["serve", "--no-open", "--port", "0", ...more], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, XDG_STATE_HOME: state },
  });
  let said = "";
  child.stderr.on("data", (data) => (said += data));
  const ended = new Promise((resolve) => child.once("close", resolve));
  const address = new Promise((resolve, reject) => {
    const lines = createInterface({ input: child.stdout });
    lines.on("line", (line) => {
      const found = /http:\/\/\S+\/\?token=\S+/.exec(line);
      if (found) resolve(found[0]);
    });
    child.once("error", reject);
    void ended.then((code) => reject(new Error(`${command} serve ended with ${code}: ${said}`)));
  });
  address.catch(() => {}); // the error is reported to those that await it
  const stop = async () => {
    child.kill("SIGINT");
    await ended;
    await rm(state, { recursive: true, force: true });
  };
  return { url: await address, stop, said: () => said };
}

async function run(...command) {
  const child = spawn(process.env.FATHOM, command, { stdio: "ignore" });
  const [code] = await once(child, "close");
  assert.equal(code, 0);
}

/** Saves a scan of the directory to the file. */
export function save(directory, file) {
  return run("scan", "--format", "ncdu", "-o", file, directory);
}

/** Keeps a snapshot of the directory in the store. */
export function keepSnapshot(directory, store, tag) {
  return run("snapshot", "--store", store, "--tag", tag, directory);
}

/** Waits for the text in the panel. */
export function panelSays(page, text) {
  return page.waitForFunction(
    (wanted) => document.querySelector("#panel").textContent.includes(wanted),
    text,
  );
}

/** Waits until that many boxes of the map are lit up, and the others dimmed. */
export function lit(page, count) {
  return page.waitForSelector(`#map[data-lit="${count}"]`);
}

export function launch() {
  return chromium.launch({ executablePath: browserPath, args: browserArguments });
}

/** Creates a tree, a server for it and a browser before the first test of a suite. */
export function staged(content, take) {
  const stage = {};
  before(async () => {
    stage.tree = await makeTree(content);
    stage.server = await serve(stage.tree.root);
    stage.browser = await launch();
    take(stage);
  });
  after(async () => {
    await stage.browser?.close();
    await stage.server?.stop();
    await stage.tree?.remove();
  });
}

/**
 * Opens the page at the address, and waits for its treemap. Every message in the console, and every
 * request to another host, is a problem.
 *
 * @param {import("playwright-core").Browser} browser
 * @param {string} url
 * @param {{ hash?: string, width?: number, height?: number } &
 *   import("playwright-core").BrowserContextOptions} options
 */
export async function openPage(
  browser,
  url,
  { hash = "", width = 1280, height = 800, ...options } = {},
) {
  const context = await browser.newContext({ viewport: { width, height }, ...options });
  const page = Object.assign(await context.newPage(), { problems: [] });
  page.on("console", (message) => {
    // The browser logs each such answer; whether one is allowed is decided below.
    if (message.text().includes("the server responded with a status of 503")) return;
    page.problems.push(`${message.type()}: ${message.text()}`);
  });
  page.on("response", async (response) => {
    if (response.status() !== 503) return;
    // Until the scan has its first results, the server is busy, and the page asks again.
    const text = await response.text().catch(String);
    if (!text.includes("the scan has no results yet")) page.problems.push(`503: ${text}`);
  });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("dialog", (dialog) => page.problems.push(`a dialog says ${dialog.message()}`));
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(url).origin) page.problems.push(request.url());
  });
  await page.goto(url + hash);
  return page;
}

/** Waits until the whole tree is drawn and nothing moves. */
export async function settled(page, path) {
  const shown = path === undefined ? "#map[data-path]" : `#map[data-path="${path}"]`;
  await page.waitForSelector("body:not(.scanning)");
  await page.waitForSelector(`${shown}[aria-busy="false"]`);
  await page.waitForSelector(".panel tbody tr, .panel .note:not([hidden]), .panel .about");
}

/** Waits until the map shows a newer snapshot of the scan. */
export function newerMap(page, generation) {
  return page.waitForFunction(
    (old) => Number(document.querySelector("#map").dataset.generation) > old,
    generation,
  );
}

export async function closePage(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

export async function screenshot(page, name) {
  const folder = process.env.SCREENSHOTS;
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

/**
 * A text that identifies the drawing of the treemap. It is read from a copy, because browsers
 * warn about repeated reads of one canvas.
 */
export function look(page) {
  return page.evaluate(() => {
    /** @type {HTMLCanvasElement} */
    const canvas = document.querySelector("#treemap");
    const copy = document.createElement("canvas");
    copy.width = 64;
    copy.height = 64;
    const context = copy.getContext("2d", { willReadFrequently: true });
    context.drawImage(canvas, 0, 0, 64, 64);
    return copy.toDataURL();
  });
}

/** The names in the directory's table, as displayed. */
export function names(page) {
  return page.$$eval(".entries tbody .name-cell .name", (elements) =>
    elements.map((each) => each.title),
  );
}

/** The path of an entry below the root, as the page encodes it. */
export function encoded(root, ...parts) {
  return [root, ...parts].join("/");
}
