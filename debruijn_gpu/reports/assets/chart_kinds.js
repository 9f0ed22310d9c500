"use strict";
// Points and bars, in the frame of charts.js.

const MOST_RADIUS_PX = 22, LEAST_RADIUS_PX = 2.2, POINT_PX = 3.2, NEAR_PX = 24;
const MOST_FILLED = 0.15; // part of the drawing that circles may cover

/**
 * Contigs as circles, or as rings where they are circular molecules.
 *
 * options: x and y {label, values, log, format}, sizes (areas) or null, names, rings (0 or 1), tips(i) -> lines
 */
class ScatterChart extends Chart {
  constructor(container, options) {
    super(container, options);
    this.yLog = Boolean(options.y.log);
    if (options.y.canLog) this.toggle("logarithmic depth", this.yLog, (on) => { this.yLog = on; this.redraw(); });
    if (options.rings.some(Boolean)) this.addRingLegend();
    this.resize();
  }

  addRingLegend() {
    const key = htmlElement("span", {class: "key"});
    key.innerHTML = '<svg width="14" height="14" aria-hidden="true"><circle cx="7" cy="7" r="5" class="point ring"/></svg>';
    key.append("circular");
    this.legend.append(key);
  }

  draw() {
    const {options, width, height, svg} = this;
    const known = d3.range(options.names.length).filter((i) => options.x.values[i] !== null && options.y.values[i] !== null && (!this.yLog || options.y.values[i] > 0));
    const x = scaleFor(options.x, known, options.x.log).range([MARGIN.left + 4, width - MARGIN.right]);
    const y = scaleFor(options.y, known, this.yLog).range([height - MARGIN.bottom - 4, MARGIN.top]);
    this.axes(x, y, {x: options.x.label, y: options.y.label});
    const radius = options.sizes ? radiusFor(options.sizes, width * height) : () => POINT_PX;
    const points = svg.append("g").attr("class", "points");
    for (const i of known) {
      points.append("circle").attr("class", options.rings[i] ? "point ring" : "point").attr("cx", x(options.x.values[i]).toFixed(1)).attr("cy", y(options.y.values[i]).toFixed(1)).attr("r", radius(i).toFixed(1));
    }
    this.cursor = svg.append("circle").attr("class", "chosen").attr("display", "none");
    this.listen(known, x, y, radius);
  }

  listen(known, x, y, radius) {
    if (!known.length) return;
    const {options, svg} = this;
    const finder = d3.Delaunay.from(known, (i) => x(options.x.values[i]), (i) => y(options.y.values[i]));
    const leave = () => { this.cursor.attr("display", "none"); this.tip.hidden = true; };
    svg.on("pointermove pointerdown", (event) => {
      const [left, top] = d3.pointer(event, svg.node());
      const i = known[finder.find(left, top)];
      const [cx, cy] = [x(options.x.values[i]), y(options.y.values[i])];
      if (Math.hypot(cx - left, cy - top) > NEAR_PX + radius(i)) return leave();
      this.cursor.attr("display", null).attr("cx", cx).attr("cy", cy).attr("r", radius(i) + 2);
      this.showTip(cx + radius(i), cy, options.tips(i));
    }).on("pointerleave", leave);
  }
}

/** Radius by area; the largest has that of MOST_RADIUS_PX, or less so that all together fill a part of the drawing. */
function radiusFor(sizes, area) {
  const most = d3.max(sizes) || 1;
  const largest = Math.min(MOST_RADIUS_PX, Math.sqrt((MOST_FILLED * area * most) / (Math.PI * d3.sum(sizes))));
  return (i) => Math.max(LEAST_RADIUS_PX, largest * Math.sqrt(sizes[i] / most));
}

/** A scale over what is there, with some room at both ends. */
function scaleFor(axis, known, isLog) {
  const [low, high] = d3.extent(known, (i) => axis.values[i]);
  if (low === undefined) return d3.scaleLinear().domain([0, 1]);
  if (isLog) return d3.scaleLog().domain([low / 1.5, high * 1.5]);
  const room = Math.max((high - low) * 0.08, axis.least || 1);
  return d3.scaleLinear().domain([axis.fromZero ? 0 : Math.max(0, low - room), high + room]).nice(5);
}

/**
 * Bars, one row below the other, each under its label.
 *
 * options: rows [{label, text, bars: [[{value, color}, ...], ...]}]: bars below each other, of parts behind each other;
 * keys [{name, color}], most: the value that fills the width
 */
class BarChart extends Chart {
  constructor(container, options) {
    super(container, options);
    for (const {name, color} of options.keys) {
      const key = htmlElement("span", {class: "key"});
      key.append(htmlElement("span", {class: "swatch", style: `background:var(--${color})`}), name);
      this.legend.append(key);
    }
    this.resize();
  }

  heightFor() {
    return d3.sum(this.options.rows, (row) => 22 + 12 * row.bars.length + 6) + 4;
  }

  draw() {
    const {options, svg, width} = this;
    const x = d3.scaleLinear().domain([0, options.most || 1]).range([0, width - 2]);
    let top = 0;
    for (const row of options.rows) {
      svg.append("text").attr("class", "bar-label").attr("x", 0).attr("y", top + 15).text(row.label);
      svg.append("text").attr("class", "bar-text").attr("x", width).attr("y", top + 15).attr("text-anchor", "end").text(row.text);
      top += 22;
      for (const parts of row.bars) {
        svg.append("rect").attr("class", "bar-back").attr("y", top).attr("width", width).attr("height", 9).attr("rx", 2);
        let left = 0;
        for (const {value, color} of parts) {
          svg.append("rect").attr("x", x(left)).attr("y", top).attr("width", Math.max(value > 0 ? 1 : 0, x(value))).attr("height", 9).attr("rx", 2).style("fill", `var(--${color})`);
          left += value;
        }
        top += 12;
      }
      top += 6;
    }
  }
}
