// Draws the map of addresses by time, from the data that picture.py describes. Times are in microseconds, places on the
// canvas in CSS pixels.
"use strict";

(() => {
  const STRIP = 68; // the height of the curve of live bytes
  const LABEL = 18; // of the name of a region
  const AXIS = 24; // of the times
  const LEAST = 22; // of a region
  const GAP = 7; // between two parts of a region
  const FAINT = 0.1; // how strong the blocks are that are not chosen
  const NEAR = 6; // how far from a block the pointer may be
  const LEVELS = 8; // of how full a cell is
  const ALL = -1;

  const data = JSON.parse(document.getElementById("data").textContent);
  const at = (id) => document.getElementById(id);
  const canvas = at("canvas");
  const screen = canvas.getContext("2d");
  const drawn = document.createElement("canvas"); // all but the cursor, which moves often
  const pen = drawn.getContext("2d");

  const state = {
    process: null,
    items: [], // blocks in the order in which they begin, or cells
    byColour: { site: [], size: [] },
    binned: false,
    region: ALL,
    by: "site", // what the colours show: "site" or "size"
    only: ALL, // the colour to show
    kept: false, // only blocks that were never freed
    from: 0, // the time that is shown
    to: 1,
    cursor: null, // { time, y }
    chosen: null, // the item at the cursor
    dragged: null, // the time where the pointer was pressed
  };
  let layout = { bands: [], parts: [], height: 0, width: 0 };
  let theme = {};

  // ---- Words

  const UNITS = ["KiB", "MiB", "GiB", "TiB"];
  function size(bytes) {
    if (bytes < 1024) return bytes === 1 ? "1 byte" : `${bytes} bytes`;
    let value = bytes / 1024;
    let unit = 0;
    for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
    return `${value.toFixed(Number.isInteger(value) ? 0 : 1)} ${UNITS[unit]}`;
  }

  function seconds(time, step = 1000) {
    return `${(time / 1e6).toFixed(Math.max(0, Math.min(6, 6 - Math.floor(Math.log10(step)))))} s`;
  }

  function duration(microseconds) {
    if (microseconds < 1e3) return `${microseconds} µs`;
    return microseconds < 1e6 ? `${(microseconds / 1e3).toFixed(1)} ms` : seconds(microseconds);
  }

  const hex = (address) => `0x${address.toString(16)}`;
  const basename = (path) => path.slice(path.lastIndexOf("/") + 1);

  function sizeClass(number) {
    if (number === data.sizes.length) return `over ${size(data.sizes[number - 1])}`;
    return `up to ${size(data.sizes[number])}`;
  }

  // ---- Data

  function classOf(bytes) {
    const found = data.sizes.findIndex((most) => bytes <= most);
    return found < 0 ? data.sizes.length : found;
  }

  function choose(process) {
    state.process = process;
    state.binned = process.blocks === undefined;
    state.items = state.binned
      ? process.bins.map(([low, high, begin, end, site, sizes, level]) => ({
          low, high, begin, end, site, size: sizes, level,
        }))
      : process.blocks.map(([address, bytes, begin, end, origin, thread]) => ({
          low: address,
          high: address + Math.max(bytes, 1),
          begin,
          end: end ?? process.until,
          site: data.origins[origin][1],
          size: classOf(bytes),
          kept: end === null,
          bytes,
          origin: data.origins[origin],
          thread,
        }));
    for (const by of ["site", "size"]) {
      state.byColour[by] = [];
      for (const item of state.items) (state.byColour[by][item[by]] ??= []).push(item);
    }
    state.region = ALL;
    state.only = ALL;
    state.cursor = null;
    state.chosen = null;
    showAll();
    fill(at("region"), ["all", ...process.regions]);
    at("region").parentElement.hidden = process.regions.length < 2;
    at("kept-label").hidden = state.binned;
    const count = state.binned ? "cells of the time and of the addresses" : `${state.items.length} blocks`;
    canvas.setAttribute(
      "aria-label",
      `Map of ${basename(process.name)}: ${count} in ${process.regions.join(", ") || "no region"}, ` +
        `from ${seconds(process.began)} to ${seconds(process.until)}`,
    );
    describe();
    legend();
    refresh();
  }

  function showAll() {
    state.from = state.process.began;
    state.to = Math.max(state.process.until, state.process.began + 1);
  }

  function fill(select, names) {
    select.replaceChildren(...names.map((name, number) => new Option(name, String(number))));
  }

  // ---- Places on the canvas

  function place() {
    const width = canvas.clientWidth;
    const process = state.process;
    const shown = process.regions.map((_, number) => number).filter((n) => state.region === ALL || n === state.region);
    const parts = shown.map((n) => process.segments.filter(([region]) => region === n).sort((a, b) => b[1] - a[1]));
    const bytes = parts.map((each) => each.reduce((sum, [, low, high]) => sum + high - low, 0));
    const total = bytes.reduce((sum, each) => sum + each, 0) || 1;
    const room = (width < 600 ? 330 : 440) - LABEL * shown.length;
    const result = { bands: [], parts: [], height: 0, width };
    let y = STRIP + 8;
    // The highest addresses are at the top.
    for (const n of shown.map((_, number) => number).reverse()) {
      const height = Math.max(LEAST, Math.round((room * bytes[n]) / total));
      result.bands.push({ name: process.regions[shown[n]], bytes: bytes[n], top: y + LABEL, bottom: y + LABEL + height });
      const gap = Math.min(GAP, height / (4 * parts[n].length));
      const scale = (height - gap * (parts[n].length - 1)) / (bytes[n] || 1);
      let top = y + LABEL;
      for (const [, low, high] of parts[n]) {
        const bottom = top + (high - low) * scale;
        result.parts.push({ low, high, top, bottom, scale, gap });
        top = bottom + gap;
      }
      y += LABEL + height;
    }
    result.parts.sort((a, b) => a.low - b.low);
    result.height = y + AXIS;
    layout = result;
    for (const item of state.items) item.part = partAt(item.low);
  }

  // The part of the address space with this address; undefined if it is not shown.
  function partAt(address) {
    let low = 0;
    let high = layout.parts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (layout.parts[middle].low <= address) low = middle + 1;
      else high = middle;
    }
    const part = layout.parts[low - 1];
    return part && address < part.high ? part : undefined;
  }

  const x = (time) => ((time - state.from) / (state.to - state.from)) * layout.width;
  const timeAt = (left) => state.from + (left / layout.width) * (state.to - state.from);
  const yIn = (part, address) => part.bottom - (address - part.low) * part.scale;

  // ---- Drawing

  function refresh() {
    place();
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    theme = Object.fromEntries(
      ["ink", "quiet", "line", "accent", "ground", "live", "surface"].map((name) => [name, get(name)]),
    );
    theme.site = Array.from({ length: 8 }, (_, n) => get(`site-${n}`));
    theme.size = Array.from({ length: 7 }, (_, n) => get(`size-${n}`));
    theme.font = `12px ${style.fontFamily}`;
    for (const mark of document.querySelectorAll("#legend i")) mark.style.background = theme[state.by][mark.dataset.number];
    const ratio = window.devicePixelRatio || 1;
    canvas.style.height = `${layout.height}px`;
    for (const each of [canvas, drawn]) {
      each.width = Math.max(1, Math.round(layout.width * ratio));
      each.height = Math.max(1, Math.round(layout.height * ratio));
    }
    for (const each of [screen, pen]) each.setTransform(ratio, 0, 0, ratio, 0, 0);
    draw();
  }

  function draw() {
    pen.clearRect(0, 0, layout.width, layout.height);
    pen.font = theme.font;
    pen.textBaseline = "middle";
    drawTimes();
    drawLive();
    for (const band of layout.bands) drawBand(band);
    state.byColour[state.by].forEach(drawColour);
    pen.globalAlpha = 1;
    drawCursor();
  }

  function drawTimes() {
    const least = ((state.to - state.from) * 90) / layout.width;
    const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
    const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= least) ?? 10 * power;
    pen.strokeStyle = theme.line;
    pen.fillStyle = theme.quiet;
    for (let time = Math.ceil(state.from / step) * step; time <= state.to; time += step) {
      const left = Math.round(x(time)) + 0.5;
      line(pen, left, STRIP, left, layout.height - AXIS + 5);
      const text = seconds(time, step);
      const half = pen.measureText(text).width / 2;
      pen.fillText(text, Math.min(Math.max(left - half, 0), layout.width - 2 * half), layout.height - 8);
    }
  }

  function line(on, left, top, right, bottom) {
    on.beginPath();
    on.moveTo(left, top);
    on.lineTo(right, bottom);
    on.stroke();
  }

  function drawLive() {
    const { time: times, bytes } = state.process.live;
    const { peak } = state.process;
    const y = (value) => STRIP - (value / Math.max(peak.bytes, 1)) * (STRIP - 20);
    pen.fillStyle = theme.live;
    pen.beginPath();
    pen.moveTo(0, STRIP);
    let height = STRIP;
    for (let n = 0; n < times.length && times[n] <= state.to; n++) {
      const left = Math.max(0, x(times[n]));
      pen.lineTo(left, height);
      height = y(bytes[n]);
      pen.lineTo(left, height);
    }
    const right = Math.min(layout.width, Math.max(0, x(state.process.until)));
    pen.lineTo(right, height);
    pen.lineTo(right, STRIP);
    pen.fill();
    pen.fillStyle = theme.quiet;
    pen.fillText(`in use: at most ${size(peak.bytes)}, at ${seconds(peak.time)}`, 0, 8);
    const left = x(peak.time);
    if (left < 0 || left > layout.width) return;
    pen.strokeStyle = theme.accent;
    line(pen, left, 18, left, STRIP);
  }

  function drawBand(band) {
    pen.fillStyle = theme.ground;
    const parts = layout.parts.filter((part) => part.top >= band.top - 1 && part.bottom <= band.bottom + 1);
    for (const part of parts) pen.fillRect(0, part.top, layout.width, part.bottom - part.top);
    pen.strokeStyle = theme.quiet;
    pen.setLineDash([3, 5]);
    for (const part of parts) {
      if (part.gap < 3 || part.bottom > band.bottom - 1) continue;
      line(pen, 0, part.bottom + part.gap / 2, layout.width, part.bottom + part.gap / 2);
    }
    pen.setLineDash([]);
    pen.fillStyle = theme.ink;
    pen.fillText(band.name, 0, band.top - LABEL / 2);
    const name = pen.measureText(`${band.name}  `).width;
    pen.fillStyle = theme.quiet;
    pen.fillText(`${size(band.bytes)} of addresses used`, name, band.top - LABEL / 2);
  }

  function isStrong(item) {
    return (state.only === ALL || item[state.by] === state.only) && (!state.kept || item.kept);
  }

  function drawColour(items, colour) {
    pen.fillStyle = theme[state.by][colour];
    for (const item of items) {
      if (!item.part || item.end < state.from || item.begin > state.to) continue;
      const box = boxOf(item);
      pen.globalAlpha = (isStrong(item) ? 1 : FAINT) * (state.binned ? 0.25 + (0.75 * item.level) / LEVELS : 1);
      // A rim keeps large neighbours of one colour apart.
      const rim = state.binned ? 0 : 1;
      pen.fillRect(box.left, box.top, box.width > 4 ? box.width - rim : box.width,
        box.height > 4 ? box.height - rim : box.height);
    }
  }

  function boxOf(item) {
    const left = Math.max(0, x(item.begin));
    const right = Math.min(layout.width, x(item.end));
    const top = yIn(item.part, Math.min(item.high, item.part.high));
    return { left, top, width: Math.max(1, right - left), height: Math.max(1, yIn(item.part, item.low) - top) };
  }

  function drawCursor() {
    screen.clearRect(0, 0, layout.width, layout.height);
    screen.drawImage(drawn, 0, 0, layout.width, layout.height);
    if (state.dragged !== null && state.cursor) {
      screen.fillStyle = theme.accent;
      screen.globalAlpha = 0.2;
      screen.fillRect(x(state.dragged), 0, x(state.cursor.time) - x(state.dragged), layout.height - AXIS);
      screen.globalAlpha = 1;
    }
    if (state.chosen?.part) {
      const box = boxOf(state.chosen);
      screen.lineWidth = 2;
      screen.strokeStyle = theme.surface;
      screen.strokeRect(box.left - 2.5, box.top - 2.5, box.width + 5, box.height + 5);
      screen.strokeStyle = theme.ink;
      screen.strokeRect(box.left - 1, box.top - 1, box.width + 2, box.height + 2);
      screen.lineWidth = 1;
    }
    if (state.cursor) {
      screen.strokeStyle = theme.ink;
      screen.setLineDash([2, 3]);
      const left = Math.round(x(state.cursor.time)) + 0.5;
      const top = Math.round(state.cursor.y) + 0.5;
      line(screen, left, 18, left, layout.height - AXIS);
      line(screen, 0, top, layout.width, top);
      screen.setLineDash([]);
    }
  }

  // ---- The item at the cursor, in words

  function find(time, y) {
    const perTime = layout.width / (state.to - state.from);
    let best = null;
    let nearest = state.binned ? 1 : NEAR;
    for (const item of state.items) {
      if (!item.part || !isStrong(item)) continue;
      const aside = Math.max(item.begin - time, time - item.end, 0) * perTime;
      if (aside > nearest) continue;
      const top = yIn(item.part, item.high);
      const away = Math.max(top - y, y - yIn(item.part, item.low), 0) + aside;
      if (away < nearest || (away === 0 && nearest === 0)) {
        best = item;
        nearest = away;
      }
    }
    return best;
  }

  function point(time, y) {
    state.cursor = { time, y };
    state.chosen = find(time, y);
    describe();
    drawCursor();
  }

  function element(name, ...children) {
    const made = document.createElement(name);
    made.append(...children);
    return made;
  }

  function describe() {
    const item = state.chosen;
    if (!item) {
      at("details").replaceChildren(element("p", state.cursor ? emptyPlace() : "Point at a block for its details."));
    } else if (state.binned) {
      const [name, where] = siteWords(item.site);
      at("details").replaceChildren(element("p",
        `${hex(item.low)} to ${hex(item.high)}, ${seconds(item.begin)} to ${seconds(item.end)}: about ` +
        `${Math.round((100 * (item.level - 0.5)) / LEVELS)} % in use, mostly by ${name} ${where}, ` +
        `mostly blocks ${item.size === data.sizes.length ? "" : "of "}${sizeClass(item.size)}`));
    } else {
      const life = item.kept ? "never freed" : `freed at ${seconds(item.end)}, after ${duration(item.end - item.begin)}`;
      at("details").replaceChildren(
        element("p", `${size(item.bytes)} at ${hex(item.low)} by ${item.origin[0]}, at ${seconds(item.begin)} in thread ` +
          `${item.thread}; ${life}`),
        element("ol", ...item.origin[2].map(frameLine)));
    }
  }

  function emptyPlace() {
    const part = layout.parts.find((each) => each.top <= state.cursor.y && state.cursor.y <= each.bottom);
    if (!part) return `${seconds(state.cursor.time)}: no addresses here.`;
    const address = Math.floor(part.low + (part.bottom - state.cursor.y) / part.scale);
    return `${hex(address)} at ${seconds(state.cursor.time)}: no such block here.`;
  }

  function frameLine(number) {
    const [name, where = ""] = data.frames[number].split("  ");
    const quiet = element("span", `  ${where}`);
    return element("li", name, quiet);
  }

  function siteWords(number) {
    if (number === 7) return [`${data.others} other places`, ""];
    const [name, where] = data.sites[number];
    return [name, basename(where)];
  }

  // ---- Controls

  function legend() {
    const used = new Set(state.items.map((item) => item[state.by]));
    at("legend").replaceChildren(
      ...[...used].sort((a, b) => a - b).map((number) => {
        const mark = element("i");
        mark.dataset.number = String(number);
        const [name, where] = state.by === "site" ? siteWords(number) : [sizeClass(number), ""];
        const button = element("button", mark, element("span", `${name} `, element("small", where)));
        button.type = "button";
        button.title = `${name} ${where}`.trim();
        button.ariaPressed = String(state.only === number);
        button.onclick = () => {
          state.only = state.only === number ? ALL : number;
          for (const each of at("legend").children) each.ariaPressed = String(each === button && state.only !== ALL);
          draw();
        };
        return button;
      }),
    );
  }

  // Shows half or twice the time, and keeps the cursor where it is.
  function zoom(factor) {
    const middle = state.cursor?.time ?? (state.from + state.to) / 2;
    const { began, until } = state.process;
    const length = Math.min(Math.max((state.to - state.from) * factor, 10), Math.max(until - began, 10));
    const left = ((middle - state.from) / (state.to - state.from)) * length;
    show(middle - left, length);
  }

  function show(from, length) {
    const { began, until } = state.process;
    state.from = Math.max(began, Math.min(from, Math.max(until, began + length) - length));
    state.to = state.from + length;
    draw();
  }

  function move(across, down) {
    const cursor = state.cursor ?? { time: (state.from + state.to) / 2, y: (STRIP + layout.height) / 2 };
    const { began, until } = state.process;
    const length = state.to - state.from;
    const time = Math.min(Math.max(cursor.time + across * length, began), until);
    if (time < state.from || time > state.to) show(time - length / 2, length);
    point(time, Math.min(Math.max(cursor.y + down, STRIP), layout.height - AXIS));
  }

  // To the next block, or to the previous one.
  function step(by) {
    const items = state.items.filter((item) => item.part && isStrong(item));
    if (items.length === 0) return;
    const before = items.indexOf(state.chosen);
    const item = items[before < 0 ? (by > 0 ? 0 : items.length - 1) : (before + by + items.length) % items.length];
    if (item.begin < state.from || item.begin > state.to) {
      show(item.begin - (state.to - state.from) / 2, state.to - state.from);
    }
    const box = boxOf(item);
    state.cursor = { time: item.begin, y: box.top + box.height / 2 };
    state.chosen = item;
    describe();
    drawCursor();
  }

  function reset() {
    showAll();
    draw();
  }

  const KEYS = {
    ArrowLeft: (far) => move(far ? -0.1 : -0.01, 0),
    ArrowRight: (far) => move(far ? 0.1 : 0.01, 0),
    ArrowUp: (far) => move(0, far ? -40 : -4),
    ArrowDown: (far) => move(0, far ? 40 : 4),
    n: () => step(1),
    p: () => step(-1),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    0: reset,
  };

  canvas.addEventListener("keydown", (event) => {
    const action = KEYS[event.key];
    if (!action || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    action(event.shiftKey);
  });

  function inCanvas(event) {
    const box = canvas.getBoundingClientRect();
    return { time: timeAt(Math.min(Math.max(event.clientX - box.left, 0), box.width)), y: event.clientY - box.top };
  }

  let waiting = null; // the last move of the pointer that is not drawn yet
  canvas.addEventListener("pointermove", (event) => {
    if (waiting === null) {
      requestAnimationFrame(() => {
        const { time, y } = inCanvas(waiting);
        waiting = null;
        point(time, y);
      });
    }
    waiting = event;
  });
  canvas.addEventListener("pointerdown", (event) => {
    state.dragged = inCanvas(event).time;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", (event) => {
    const { time, y } = inCanvas(event);
    const begun = state.dragged;
    state.dragged = null;
    if (begun !== null && Math.abs(x(time) - x(begun)) > NEAR) {
      show(Math.min(time, begun), Math.max(Math.abs(time - begun), 10));
    }
    point(time, y);
  });
  canvas.addEventListener("pointercancel", () => {
    state.dragged = null;
  });

  at("process").onchange = (event) => choose(data.processes[event.target.value]);
  at("region").onchange = (event) => {
    state.region = Number(event.target.value) - 1;
    state.cursor = null;
    state.chosen = null;
    refresh();
  };
  at("colour").onchange = (event) => {
    state.by = event.target.value;
    state.only = ALL;
    legend();
    refresh();
  };
  at("kept").onchange = (event) => {
    state.kept = event.target.checked;
    draw();
  };
  at("closer").onclick = () => zoom(0.5);
  at("wider").onclick = () => zoom(2);
  at("reset").onclick = reset;

  const withBlocks = data.processes.filter((process) => process.regions.length > 0);
  if (withBlocks.length === 0) return;
  at("map").hidden = false;
  fill(at("process"), data.processes.map((process) => `${basename(process.name)} (process ${process.pid})`));
  at("process").parentElement.hidden = data.processes.length < 2;
  at("process").value = String(data.processes.indexOf(withBlocks[0]));
  choose(withBlocks[0]);
  window.addEventListener("resize", refresh);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
})();
