"use strict";
// The map that bins were cut from: a square for each unit, in the colour of its bin, darker on ridges of the U-matrix.

const map = JSON.parse(document.getElementById("data").textContent);
const canvas = document.getElementById("unit-map");
const told = document.getElementById("unit-told");
const MOST_PIXELS = 720, LEAST_SIDE = 3, MOST_SIDE = 24, PALETTE = 7;

const cell = Math.max(LEAST_SIDE, Math.min(MOST_SIDE, Math.floor(MOST_PIXELS / Math.max(map.rows, map.columns))));
const highest = d3.quantile(map.heights, 0.98) || 1;
const COLORS = ["#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7", "#56b4e9", "#f0e442"];

/** Colour of a unit: that of its bin, further ones lighter, unbinned grey; mixed with black by its height. */
function colorOf(unit) {
  const bin = map.bins[unit];
  const base = bin === 0 ? "#c8ccd2" : COLORS[(bin - 1) % PALETTE];
  const lighter = d3.interpolateRgb(base, "#ffffff")(bin === 0 ? 0 : Math.min(0.6, 0.3 * Math.floor((bin - 1) / PALETTE)));
  return d3.interpolateRgb(lighter, "#101418")(0.9 * Math.min(1, map.heights[unit] / highest) ** 1.5);
}

function draw() {
  const scale = window.devicePixelRatio || 1;
  canvas.width = map.columns * cell * scale;
  canvas.height = map.rows * cell * scale;
  canvas.style.width = `${map.columns * cell}px`;
  canvas.style.maxWidth = "100%";
  const context = canvas.getContext("2d");
  context.scale(scale, scale);
  map.heights.forEach((_height, unit) => {
    const x = (unit % map.columns) * cell, y = Math.floor(unit / map.columns) * cell;
    context.fillStyle = colorOf(unit);
    context.fillRect(x, y, cell, cell);
    if (map.contigs[unit] === 0) return;
    context.fillStyle = "#ffffff";
    context.beginPath();
    context.arc(x + cell / 2, y + cell / 2, Math.max(1, Math.min(0.4 * cell, 0.14 * cell * Math.sqrt(map.contigs[unit]))), 0, 2 * Math.PI);
    context.fill();
  });
}

canvas.addEventListener("mousemove", (event) => {
  const box = canvas.getBoundingClientRect();
  const column = Math.floor((event.clientX - box.left) / box.width * map.columns);
  const row = Math.floor((event.clientY - box.top) / box.height * map.rows);
  if (column < 0 || row < 0 || column >= map.columns || row >= map.rows) return;
  const unit = row * map.columns + column, n = map.contigs[unit];
  const bin = map.bins[unit] === 0 ? "no bin" : `bin_${map.bins[unit]}`;
  told.textContent = `Row ${row}, column ${column}: ${bin}, ${n} ${n === 1 ? "contig" : "contigs"}`;
});

draw();
