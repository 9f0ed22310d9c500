"use strict";
// The report on one assembly: fills its charts, sorts its tables, and draws the graph when it is opened.

const data = JSON.parse(document.getElementById("data").textContent);
const place = (name) => document.getElementById(`chart-${name}`);

const PEAK_STYLES = [
  {color: "blue", dash: ""}, {color: "green", dash: "7 3"}, {color: "purple", dash: "2 3"}, {color: "orange", dash: "9 3 2 3"}, {color: "sky", dash: "4 2"},
];

function drawSpectrum(spectrum) {
  const x = spectrum.x, series = [{name: "counted", x, y: spectrum.counted, color: "bars", fill: true, step: "middle", width: 0}];
  if (spectrum.depth !== null) {
    series.push({name: "errors", x, y: spectrum.errors, color: "red", dash: "5 4", width: 2.2});
    partsOf(spectrum.peaks).forEach((part, i) => series.push({...part, x, ...PEAK_STYLES[i % PEAK_STYLES.length], width: 2.2}));
    series.push({name: "all parts", x, y: spectrum.total, color: "ink", dash: "1 3", width: 1.6});
  }
  const marks = [];
  if (spectrum.cutoff > 1) marks.push({x: spectrum.cutoff - 0.5, label: `min-count ${spectrum.cutoff}`});
  if (spectrum.depth !== null) marks.push({x: spectrum.depth, label: `depth ${spectrum.depth.toFixed(1)}`});
  const last = x[x.length - 1];
  const to = spectrum.depth === null ? Math.min(last, 60) : Math.min(last, Math.max(10, 3.2 * spectrum.depth));
  new LineChart(place("spectrum"), {
    x: {label: "multiplicity in the reads", format: (v) => `${plain(v)} times`}, y: {label: "distinct k-mers", format: d3.format(",.0f")},
    series, marks, view: {x: [0.5, to], yMax: firstHeight(spectrum)}, full: [0.5, last], canLogX: true, canLogY: true, canZoom: true,
  });
}

/** Peaks of sequence that is there less than three times, and all others in one. */
function partsOf(peaks) {
  const few = peaks.filter((peak) => peak.copies < 3).map((peak) => ({name: copies(peak.copies), y: peak.y}));
  const many = peaks.filter((peak) => peak.copies >= 3);
  if (many.length) few.push({name: "more copies", y: many[0].y.map((_, i) => d3.sum(many, (peak) => peak.y[i]))});
  return few;
}

/** The height of the peak, above which the pile of errors is cut off at first. */
function firstHeight(spectrum) {
  if (spectrum.depth === null) return null;
  const around = spectrum.x.map((_, i) => i).filter((i) => spectrum.x[i] > spectrum.depth / 3);
  return 1.25 * d3.max(around, (i) => spectrum.counted[i]);
}

function copies(n) {
  return n < 1 ? "half the depth (alleles)" : n === 1 ? "1 copy in the genome" : "2 copies";
}

function drawLengths(lengths) {
  const {cumulative, nx} = lengths;
  const levels = lengths.genome ? [{y: lengths.genome, label: "estimated genome size"}] : [];
  const last = cumulative.x[cumulative.x.length - 1];
  new LineChart(place("cumulative"), {
    x: {label: "contigs, longest first", format: (v) => `${plain(v)} longest`}, y: {label: "bases", format: bases},
    series: [{x: cumulative.x, y: cumulative.y, color: "blue", fill: true}], levels, marks: lengths.l50 && last > 2 ? [{x: lengths.l50, label: `L50: ${lengths.l50}`}] : [],
    view: {x: [0, last]}, full: [0, last], whole: true, canZoom: true,
  });
  new LineChart(place("nx"), {
    x: {label: "x (% of all bases)", format: (v) => `N${plain(Math.round(10 * v) / 10)}`}, y: {label: "contig length (bp)", format: bases},
    series: [{x: nx.x, y: nx.y, color: "green", fill: true, step: "before"}], marks: lengths.n50 ? [{x: 50, label: `N50: ${bases(lengths.n50)}`}] : [],
    view: {x: [0, 100]}, full: [0, 100], canLogY: true, canZoom: true,
  });
}

function contigTips(contigs) {
  return (i) => [
    htmlElement("strong", {}, contigs.names[i]),
    bases(contigs.lengths[i]) + (contigs.circular[i] ? ", circular" : ""),
    `${data.depth_name} ${contigs.depth[i]}, GC ${contigs.gc[i]} %`,
  ];
}

function drawDepth(contigs) {
  const common = {names: contigs.names, rings: contigs.circular, tips: contigTips(contigs)};
  const depth = {label: data.depth_name, values: contigs.depth};
  const positive = contigs.depth.filter((v) => v > 0);
  const isWide = positive.length > 1 && d3.max(positive) > 8 * d3.min(positive);
  new ScatterChart(place("gc"), {
    ...common, x: {label: "GC (%)", values: contigs.gc, least: 3}, y: {...depth, log: isWide, canLog: true, fromZero: true}, sizes: contigs.lengths,
  });
  new ScatterChart(place("depth"), {
    ...common, x: {label: "length (bp)", values: contigs.lengths, log: true}, y: {...depth, log: isWide, canLog: true, fromZero: true}, sizes: null,
  });
}

function drawInserts(inserts) {
  const styles = PEAK_STYLES;
  const series = inserts.map((one, i) => {
    const {first_bp: first, bin_bp: bin, numbers} = one.sizes;
    const x = [first - bin, ...numbers.map((_, j) => first + j * bin), first + numbers.length * bin].map((v) => v + (bin - 1) / 2);
    return {name: inserts.length > 1 ? `input ${i + 1}` : "", x, y: [0, ...numbers, 0], fill: inserts.length < 3, step: "middle", ...styles[i % styles.length]};
  });
  const from = d3.min(series, (one) => one.x[0]), to = d3.max(series, (one) => one.x[one.x.length - 1]);
  const marks = inserts.map((one, i) => ({x: one.sizes.median_bp, label: `median${inserts.length > 1 ? ` ${i + 1}` : ""}: ${bases(one.sizes.median_bp)}`}));
  new LineChart(place("inserts"), {
    x: {label: "insert size (bp)", format: (v) => `about ${bases(v)}`}, y: {label: "pairs"}, series, marks, view: {x: [from, to]}, full: [from, to], canZoom: true, canLogY: true,
  });
}

/** A point for each k, joined by lines. */
function drawRounds(rounds) {
  const {k} = rounds, span = [Math.max(0, k[0] - 4), k[k.length - 1] + 4];
  const common = {x: {label: "k", format: (v) => `k = ${v}`}, view: {x: span}, full: span, whole: true};
  new LineChart(place("n50"), {...common, y: {label: "N50 (bp)", format: bases}, series: [{x: k, y: rounds.n50, color: "green", points: true}]});
  new LineChart(place("unitigs"), {...common, y: {label: "unitigs", format: d3.format(",")}, series: [{x: k, y: rounds.unitigs, color: "blue", points: true}]});
}

function memory(bytes) {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(2)} GiB` : `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}

function drawTime(stages) {
  const rows = stages.map((stage) => ({
    label: stage.name,
    text: `${stage.wall_s.toFixed(2)} s` + (stage.cpu_s === null ? "" : `, ${stage.cpu_s.toFixed(2)} CPU s`),
    bars: [
      [{value: Math.max(0, stage.wall_s - stage.compile_s), color: "blue"}, {value: stage.compile_s, color: "orange"}],
      [{value: stage.cpu_s || 0, color: "green"}],
    ],
  }));
  const most = d3.max(stages, (stage) => Math.max(stage.wall_s, stage.cpu_s || 0));
  const keys = [{name: "seconds", color: "blue"}, {name: "compiling", color: "orange"}, {name: "CPU seconds", color: "green"}];
  new BarChart(place("time"), {rows, most, keys});
  const known = stages.filter((stage) => stage.peak_memory_bytes !== null);
  if (!known.length || !place("memory")) return;
  new BarChart(place("memory"), {
    rows: known.map((stage) => ({label: stage.name, text: memory(stage.peak_memory_bytes), bars: [[{value: stage.peak_memory_bytes, color: "purple"}]]})),
    most: d3.max(known, (stage) => stage.peak_memory_bytes), keys: [],
  });
}

function drawGraphWhenOpened(box, graph) {
  const folded = box.closest("details");
  folded.addEventListener("toggle", () => {
    if (folded.open && !box.graphView) graphView(box, graph, {embedded: true});
  });
}

for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);
if (place("spectrum") && data.spectrum) drawSpectrum(data.spectrum);
if (place("nx") && data.lengths) drawLengths(data.lengths);
if (place("gc")) drawDepth(data.contigs);
if (place("inserts")) drawInserts(data.inserts);
if (place("n50") && data.rounds) drawRounds(data.rounds);
if (place("time")) drawTime(data.stages);
const graphBox = document.getElementById("graph-view");
if (graphBox && data.graph) drawGraphWhenOpened(graphBox, data.graph);
