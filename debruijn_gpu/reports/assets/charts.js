"use strict";
// Charts in SVG that the reports share: the frame of a chart, and lines with zoom. Colours are names of theme.css, so
// that charts follow light, dark and print without being drawn again; every series has a dash or shape of its own too.

const MARGIN = {top: 14, right: 16, bottom: 44, left: 64};
const ZOOM_BY = 2;

const short = d3.format("~s");
const plain = d3.format(",.6~g");

/** 4641652 -> "4.64 M", for axes; small numbers stay as they are. */
function axisNumber(value) {
  if (value === 0) return "0";
  return Math.abs(value) >= 10000 || Math.abs(value) < 0.001 ? short(value).replace(/([kMGT])$/, " $1") : plain(value);
}

function bases(value) {
  return `${d3.format(",")(Math.round(value))} bp`;
}

/** An element with attributes and children; texts stay texts, whatever is in them. */
function htmlElement(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** A chart's tools, drawing and tip; `draw(svg, size)` is called whenever its width changes. */
class Chart {
  constructor(container, options) {
    this.container = container;
    this.options = options;
    container.textContent = "";
    container.classList.add("drawn");
    this.tools = htmlElement("div", {class: "chart-tools screen-only"});
    this.legend = htmlElement("div", {class: "chart-legend"});
    this.stage = htmlElement("div", {class: "chart-stage"});
    this.tip = htmlElement("div", {class: "chart-tip", hidden: true});
    this.svg = d3.create("svg").attr("role", "img").attr("aria-label", container.dataset.what || "");
    this.stage.append(this.svg.node(), this.tip);
    container.append(this.tools, this.legend, this.stage);
    container.chart = this;
    this.width = 0;
    new ResizeObserver(() => this.resize()).observe(this.stage);
  }

  resize() {
    const width = Math.round(this.stage.clientWidth);
    if (!width || width === this.width) return;
    this.width = width;
    this.redraw();
  }

  redraw() {
    if (!this.width) return;
    this.tip.hidden = true;
    this.height = this.heightFor(this.width);
    this.svg.selectAll("*").remove();
    this.svg.attr("viewBox", [0, 0, this.width, this.height]).attr("width", "100%");
    this.draw();
  }

  heightFor(width) {
    return width < 480 ? 250 : 320;
  }

  button(text, title, act) {
    const made = htmlElement("button", {type: "button", title, onclick: act}, text);
    this.tools.append(made);
    return made;
  }

  toggle(text, checked, act) {
    const box = htmlElement("input", {type: "checkbox", checked, onchange: () => act(box.checked)});
    this.tools.append(htmlElement("label", {class: "toggle"}, box, text));
    return box;
  }

  axes(x, y, labels) {
    const {width, height, svg} = this;
    const few = Math.max(3, Math.round(width / 110));
    svg.append("g").attr("class", "axis").attr("transform", `translate(0,${height - MARGIN.bottom})`).call(ticked(d3.axisBottom(x), x, few, this.options.whole));
    const left = svg.append("g").attr("class", "axis").attr("transform", `translate(${MARGIN.left},0)`).call(ticked(d3.axisLeft(y), y, 5));
    left.selectAll(".tick line").clone().attr("class", "grid").attr("x2", width - MARGIN.left - MARGIN.right);
    svg.append("text").attr("class", "axis-label").attr("x", (MARGIN.left + width - MARGIN.right) / 2).attr("y", height - 6).attr("text-anchor", "middle").text(labels.x);
    svg.append("text").attr("class", "axis-label").attr("transform", `translate(13,${(MARGIN.top + height - MARGIN.bottom) / 2}) rotate(-90)`).attr("text-anchor", "middle").text(labels.y);
  }

  /** Show lines of text beside a point of the drawing. */
  showTip(x, y, lines) {
    this.tip.textContent = "";
    for (const line of lines) this.tip.append(htmlElement("div", {}, ...[line].flat()));
    this.tip.hidden = false;
    const scale = this.stage.clientWidth / this.width;
    const {offsetWidth: w, offsetHeight: h} = this.tip;
    const left = x * scale + 14 + w > this.stage.clientWidth ? x * scale - 14 - w : x * scale + 14;
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${Math.max(0, Math.min(y * scale - h / 2, this.stage.clientHeight - h))}px`;
  }
}

/** An axis with some ticks; of a logarithmic scale those of its decades, so that labels do not touch. */
function ticked(axis, scale, n, whole = false) {
  const isLog = scale.base !== undefined;
  if (!isLog) return axis.tickValues(scale.ticks(n).filter((value) => !whole || Number.isInteger(value))).tickFormat(axisNumber).tickSizeOuter(0);
  const [low, high] = scale.domain();
  const decades = d3.range(Math.ceil(Math.log10(low) - 1e-9), Math.floor(Math.log10(high) + 1e-9) + 1).map((p) => 10 ** p);
  const every = Math.ceil(decades.length / Math.max(2, n));
  const few = scale.ticks(n).filter((value) => "125".includes(String(value.toExponential())[0]));
  const values = decades.length > 2 ? decades.filter((_, i) => i % every === 0) : few.length >= 2 ? few : scale.ticks(3);
  return axis.tickValues(values).tickFormat(axisNumber).tickSizeOuter(0);
}

/**
 * Lines over a common x.
 *
 * options: x and y {label, format}, series [{name, x, y, color, dash, fill, step, width, bars, points}], marks [{x, label, color}],
 * view {x: [from, to], yMax} at first, full [from, to], whole (no fractions of x), xLog, yLog, canLogX, canLogY, canZoom
 */
class LineChart extends Chart {
  constructor(container, options) {
    super(container, options);
    this.hiddenSeries = new Set();
    this.xLog = Boolean(options.xLog);
    this.yLog = Boolean(options.yLog);
    this.view = null;
    if (options.canLogX) this.toggle("logarithmic x", this.xLog, (on) => { this.xLog = on; this.redraw(); });
    if (options.canLogY) this.toggle("logarithmic y", this.yLog, (on) => { this.yLog = on; this.redraw(); });
    if (options.canZoom) this.addZoomButtons();
    this.addLegend();
    this.resize();
  }

  addZoomButtons() {
    this.button("+", "Closer", () => this.zoomBy(1 / ZOOM_BY));
    this.button("−", "Farther", () => this.zoomBy(ZOOM_BY));
    this.resetButton = this.button("Reset", "As at first", () => this.zoomTo(null));
    this.button("All", "From end to end", () => this.zoomTo([...this.options.full]));
  }

  addLegend() {
    const named = this.options.series.filter((one) => one.name);
    if (named.length < 2) return;
    for (const one of named) {
      const sample = `<svg width="26" height="10" aria-hidden="true"><line x1="1" x2="25" y1="5" y2="5" style="stroke:var(--${one.color});stroke-width:${one.fill ? 8 : one.width};${one.fill ? "opacity:.5" : ""}" stroke-dasharray="${one.dash || ""}"/></svg>`;
      const key = htmlElement("button", {type: "button", class: "key", "aria-pressed": "true", title: "Show or hide"});
      key.innerHTML = sample;
      key.append(one.name);
      key.addEventListener("click", () => {
        const isShown = this.hiddenSeries.delete(one) || !this.hiddenSeries.add(one);
        key.setAttribute("aria-pressed", String(isShown));
        this.redraw();
      });
      this.legend.append(key);
    }
  }

  zoomBy(factor) {
    const [from, to] = this.domainX();
    const [low, high] = this.options.full;
    if (this.xLog) {
      const middle = Math.sqrt(from * to), reach = Math.pow(to / from, factor / 2);
      this.zoomTo([Math.max(low, middle / reach), Math.min(high, middle * reach)]);
    } else {
      const middle = (from + to) / 2, reach = ((to - from) / 2) * factor;
      this.zoomTo([Math.max(low, middle - reach), Math.min(high, middle + reach)]);
    }
  }

  zoomTo(view) {
    this.view = view && view[1] > view[0] ? view : null;
    this.redraw();
  }

  domainX() {
    let [from, to] = this.view || this.options.view.x;
    if (this.xLog && from <= 0) from = Math.min(1, to / 2);
    return [from, to > from ? to : from + 1];
  }

  shown() {
    return this.options.series.filter((one) => !this.hiddenSeries.has(one));
  }

  domainY([from, to]) {
    let most = 0;
    for (const one of this.shown()) {
      for (let i = 0; i < one.x.length; i++) if (one.x[i] >= from && one.x[i] <= to && one.y[i] > most) most = one.y[i];
    }
    if (!this.view && !this.yLog && this.options.view.yMax) most = this.options.view.yMax;
    for (const mark of this.options.levels || []) if (mark.y > most && mark.y < 2 * most) most = mark.y;
    return [this.yLog ? 0.8 : 0, (most || 1) * (this.yLog ? 1.6 : 1.06)];
  }

  draw() {
    const {width, height, options, svg} = this;
    const domain = this.domainX();
    const inside = [MARGIN.left, width - MARGIN.right];
    const x = (this.xLog ? d3.scaleLog() : d3.scaleLinear()).domain(domain).range(inside);
    const y = (this.yLog ? d3.scaleLog().clamp(true) : d3.scaleLinear()).domain(this.domainY(domain)).range([height - MARGIN.bottom, MARGIN.top]);
    Object.assign(this, {scaleX: x, scaleY: y});
    this.axes(x, y, {x: options.x.label, y: options.y.label});
    const clip = `clip-${this.container.id}`;
    svg.append("clipPath").attr("id", clip).append("rect").attr("x", inside[0]).attr("y", MARGIN.top - 4)
      .attr("width", Math.max(0, inside[1] - inside[0])).attr("height", height - MARGIN.top - MARGIN.bottom + 4);
    const lines = svg.append("g").attr("clip-path", `url(#${clip})`);
    for (const one of this.shown()) this.drawSeries(lines, one, x, y);
    this.drawMarks(lines, x, y);
    this.cursor = svg.append("g").attr("class", "cursor").attr("display", "none");
    this.listen(x, y);
    if (this.resetButton) this.resetButton.disabled = !this.view;
  }

  drawSeries(lines, one, x, y) {
    const [from, to] = x.domain();
    const first = Math.max(0, d3.bisectLeft(one.x, from) - 1), end = Math.min(one.x.length, d3.bisectRight(one.x, to) + 1);
    const places = d3.range(first, end).filter((i) => !this.xLog || one.x[i] > 0);
    const base = y.range()[0];
    const curve = one.step === "before" ? d3.curveStepBefore : one.step === "middle" ? d3.curveStep : d3.curveLinear;
    const top = (i) => (one.y[i] > 0 ? y(one.y[i]) : base);
    if (one.fill) {
      const area = d3.area().x((i) => x(one.x[i])).y0(base).y1(top).curve(curve);
      lines.append("path").attr("class", "area").attr("d", area(places)).style("fill", `var(--${one.color})`);
    }
    const line = d3.line().x((i) => x(one.x[i])).y(top).curve(curve);
    lines.append("path").attr("class", "line").attr("data-name", one.name || "").attr("d", line(places))
      .style("stroke", `var(--${one.color})`).style("stroke-width", one.width ?? 2).attr("stroke-dasharray", one.dash || null);
    if (!one.points) return;
    for (const i of places) lines.append("circle").attr("class", "knot").attr("cx", x(one.x[i])).attr("cy", top(i)).attr("r", 3.5).style("fill", `var(--${one.color})`);
  }

  drawMarks(lines, x, y) {
    const [from, to] = x.domain();
    const {width} = this;
    let n = 0;
    for (const mark of this.options.marks || []) {
      if (!(mark.x >= from && mark.x <= to)) continue;
      const left = x(mark.x), isRight = left > 0.7 * width;
      lines.append("line").attr("class", "mark-line").attr("x1", left).attr("x2", left).attr("y1", MARGIN.top - 4).attr("y2", y.range()[0]);
      lines.append("text").attr("class", "mark-label").attr("x", left + (isRight ? -6 : 6)).attr("y", MARGIN.top + 8 + 15 * (n++ % 3))
        .attr("text-anchor", isRight ? "end" : "start").text(mark.label);
    }
    for (const mark of this.options.levels || []) {
      if (mark.y > y.domain()[1]) continue;
      const at = y(mark.y);
      lines.append("line").attr("class", "mark-line").attr("x1", MARGIN.left).attr("x2", width - MARGIN.right).attr("y1", at).attr("y2", at);
      lines.append("text").attr("class", "mark-label").attr("x", width - MARGIN.right - 4).attr("y", at - 5).attr("text-anchor", "end").text(mark.label);
    }
  }

  listen(x, y) {
    const {width, height, svg} = this;
    const box = [[MARGIN.left, MARGIN.top - 4], [width - MARGIN.right, height - MARGIN.bottom]];
    const over = svg.append("g").attr("class", "over");
    if (this.options.canZoom) {
      const brush = d3.brushX().extent(box).touchable(false).on("end", (event) => {
        if (!event.sourceEvent || !event.selection) return;
        if (event.selection[1] - event.selection[0] > 4) this.zoomTo(event.selection.map(x.invert));
        else over.call(brush.move, null);
      });
      over.call(brush);
    } else {
      over.append("rect").attr("x", box[0][0]).attr("y", box[0][1]).attr("width", box[1][0] - box[0][0]).attr("height", box[1][1] - box[0][1]).attr("fill", "transparent");
    }
    over.on("pointermove pointerdown", (event) => this.hover(d3.pointer(event, svg.node()), x, y))
      .on("pointerleave", () => this.leave())
      .on("dblclick", () => { if (this.options.canZoom) this.zoomTo(null); });
  }

  hover([left], x, y) {
    const at = x.invert(Math.max(MARGIN.left, Math.min(left, this.width - MARGIN.right)));
    const formatX = this.options.x.format || plain, formatY = this.options.y.format || plain;
    const found = this.shown().map((one) => [one, nearest(one, at)]).filter(([, i]) => i >= 0);
    if (!found.length) return this.leave();
    const place = found[0][0].x[found[0][1]];
    this.cursor.attr("display", null).selectAll("*").remove();
    this.cursor.append("line").attr("x1", x(place)).attr("x2", x(place)).attr("y1", MARGIN.top).attr("y2", y.range()[0]);
    const lines = [htmlElement("strong", {}, formatX(place))];
    for (const [one, i] of found) {
      if (!(one.y[i] > 0) && found.length > 2) continue;
      const high = y(Math.max(one.y[i], y.domain()[0]));
      if (high >= 0) this.cursor.append("circle").attr("cx", x(one.x[i])).attr("cy", high).attr("r", 3.5).style("fill", `var(--${one.color})`);
      lines.push(one.name ? `${one.name}: ${formatY(one.y[i])}` : formatY(one.y[i]));
    }
    this.showTip(x(place), this.height / 2, lines);
  }

  leave() {
    this.cursor.attr("display", "none");
    this.tip.hidden = true;
  }
}

/** Place of the point of a series that is nearest to x, or of the step that holds there; -1 outside of it. */
function nearest(one, at) {
  const n = one.x.length;
  if (!n) return -1;
  if (one.step === "before") return Math.min(n - 1, d3.bisectLeft(one.x, at));
  return d3.bisectCenter(one.x, at);
}
