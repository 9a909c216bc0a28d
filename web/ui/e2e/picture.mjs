// Saves a picture of the page on a directory, as for the README. Called by ../build picture.
//
//   FATHOM=build/release/bin/fathom node picture.mjs DIR FILE

import { closePage, launch, openPage, serve, settled } from "./support.mjs";

const [directory, file] = process.argv.slice(2);
const server = await serve(directory);
const browser = await launch();
const page = await openPage(browser, server.url, { width: 1280, height: 800 });
await settled(page);
await page.screenshot({ path: file });
await closePage(page);
await browser.close();
await server.stop();
