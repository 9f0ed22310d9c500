"use strict";
// Assemblies compared: a line for each in every chart, always in the same colour and dash.

const data = JSON.parse(document.getElementById("data").textContent);
const place = (name) => document.getElementById(`chart-${name}`);

const COLORS = ["blue", "orange", "green", "red", "purple", "sky", "ink"];
const DASHES = ["", "8 3", "2 3", "10 3 2 3", "5 2 1 2 1 2", "14 4"];

/** Colour and dash of an assembly; neighbours differ in both. */
function lineOf(i) {
  return {name: data.names[i], color: COLORS[i % COLORS.length], dash: DASHES[(i + Math.floor(i / COLORS.length)) % DASHES.length], width: 2.2};
}

function seriesOf(curves, change = (curve) => curve) {
  return curves.map((curve, i) => (curve ? {...lineOf(i), ...change(curve)} : null)).filter(Boolean);
}

function drawLengths() {
  const last = d3.max(data.cumulative, (curve) => curve.x[curve.x.length - 1]) || 1;
  new LineChart(place("cumulative"), {
    x: {label: "contigs, longest first", format: (v) => `${plain(v)} longest`}, y: {label: "bases", format: bases},
    series: seriesOf(data.cumulative), view: {x: [0, last]}, full: [0, last], whole: true, canLogX: true, canZoom: true,
  });
  new LineChart(place("nx"), {
    x: {label: "x (% of all bases)", format: (v) => `N${plain(Math.round(10 * v) / 10)}`}, y: {label: "contig length (bp)", format: bases},
    series: seriesOf(data.nx, (curve) => ({...curve, step: "before"})), marks: [{x: 50, label: "N50"}], view: {x: [0, 100]}, full: [0, 100], canLogY: true, canZoom: true,
  });
}

function drawSpectra() {
  const series = seriesOf(data.spectra, (curve) => ({x: curve.x, y: curve.counted}));
  const depths = data.spectra.filter((one) => one && one.depth !== null);
  const last = d3.max(series, (one) => one.x[one.x.length - 1]);
  const deepest = d3.max(depths, (one) => one.depth);
  const to = deepest ? Math.min(last, Math.max(10, 2.5 * deepest)) : Math.min(last, 60);
  const yMax = deepest ? 1.25 * d3.max(depths, (one) => d3.max(one.x, (v, i) => (v > one.depth / 3 ? one.counted[i] : 0))) : null;
  new LineChart(place("spectra"), {
    x: {label: "multiplicity in the reads", format: (v) => `${plain(v)} times`}, y: {label: "distinct k-mers", format: d3.format(",.0f")},
    series, view: {x: [0.5, to], yMax}, full: [0.5, last], canLogX: true, canLogY: true, canZoom: true,
  });
}

function drawDepth() {
  const series = seriesOf(data.depth);
  const full = [d3.min(series, (one) => one.x[0]), d3.max(series, (one) => one.x[one.x.length - 1])];
  new LineChart(place("depth"), {
    x: {label: "depth", format: (v) => `depth about ${plain(v)}`}, y: {label: "% of bases", format: (v) => `${d3.format(".3~g")(v)} %`},
    series, view: {x: full}, full, xLog: true, canZoom: true,
  });
}

drawLengths();
if (place("spectra")) drawSpectra();
if (place("depth")) drawDepth();
