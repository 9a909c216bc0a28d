// Bundles the page, or the tests of its modules. Called by ./build.
//
//   node bundle.mjs page OUTDIR
//   node bundle.mjs test OUTDIR

import { copyFile, readdir, readFile } from "node:fs/promises";
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
    banner: { js: await licences() },
  });
  await esbuild.build({
    entryPoints: { page: "src/css/page.css" },
    outdir,
    bundle: true,
    minify: true,
    target: ["chrome111", "firefox113", "safari16.4"],
  });
  for (const name of ["index.html", "icon.svg"])
    await copyFile(join("src", name), join(outdir, name));
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
