// Bundles the page, or the tests of its modules. Called by ./build.
//
//   node bundle.mjs page OUTDIR
//   node bundle.mjs test OUTDIR

import { copyFile, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

import * as esbuild from "esbuild";

const [what, outdir] = process.argv.slice(2);

// The licences of the bundled packages, which require distribution with the bundle.
async function licences() {
  const { dependencies } = JSON.parse(await readFile("package.json", "utf8"));
  const texts = [];
  for (const name of Object.keys(dependencies).sort()) {
    const text = await readFile(join("node_modules", name, "LICENSE"), "utf8");
    texts.push(`/*! ${name}\n\n${text.trim()}\n*/`);
  }
  return texts.join("\n");
}

async function buildPage() {
  await esbuild.build({
    entryPoints: { page: "src/main.ts" },
    outdir,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    charset: "utf8",
    legalComments: "none",
    footer: { js: await licences() }, // which gzip compresses better there than at the beginning
  });
  await esbuild.build({
    entryPoints: { page: "src/css/page.css" },
    outdir,
    bundle: true,
    minify: true,
    target: ["chrome111", "firefox113", "safari16.4"],
  });
  const html = await readFile(join("src", "index.html"), "utf8");
  await writeFile(join(outdir, "index.html"), html.replace(/^ +/gm, ""));
  await copyFile(join("src", "icon.svg"), join(outdir, "icon.svg"));
}

async function buildTests() {
  const names = (await readdir("test")).filter((name) => name.endsWith(".test.ts"));
  await esbuild.build({
    entryPoints: names.sort().map((name) => join("test", name)),
    outdir,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node18",
    sourcemap: "inline",
  });
}

await (what === "test" ? buildTests() : buildPage());
