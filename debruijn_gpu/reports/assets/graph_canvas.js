/* The canvas that a graph is drawn on: what of it is seen, and how painters get there. */
"use strict";

const NEAREST = 12, FARTHEST_PART = 0.4; // zoom: pixels for a unit, and part of what fits the window

/** What `GraphView` builds on: it sets `canvas`, `context`, `stage`, `legend`, `panel`, `theme`, `zoom`, `painter` and `done`. */
class GraphCanvas {
  size() {
    return {width: Math.max(1, this.stage.clientWidth), height: Math.max(1, this.stage.clientHeight)};
  }

  resize() {
    const {width, height} = this.size(), ratio = window.devicePixelRatio || 1;
    const before = this.shape;
    this.shape = {width, height};
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    if (!this.done || !this.painter) return;
    const {bounds} = this.painter, fits = this.scaleToFit();
    this.zoom.scaleExtent([fits * FARTHEST_PART, Math.max(NEAREST, fits)])
      .extent([[0, 0], [width, height]])
      .translateExtent([[bounds.x - bounds.width, bounds.y - bounds.height], [bounds.x + 2 * bounds.width, bounds.y + 2 * bounds.height]]);
    if (this.isFitted && before && (before.width !== width || before.height !== height)) this.fit(false);
    this.drawNow();
  }

  scaleToFit() {
    const {width, height} = this.size(), {bounds} = this.painter;
    return Math.min(2.5, (width - 24) / bounds.width, (height - 24 - this.legendRoom()) / bounds.height);
  }

  fit(isSlow = true) {
    if (!this.painter) return;
    const {bounds} = this.painter;
    const scale = this.scaleToFit(), {x, y, width, height} = bounds;
    const spare = this.size().height - 24 - height * scale;
    const below = Math.min(this.legendRoom(), Math.max(0, spare)) / scale;
    this.show({x, y, width, height: height + below}, scale, isSlow);
    this.isFitted = true;
  }

  /** Pixels at the bottom that the legend takes, where these can be spared. */
  legendRoom() {
    return this.legend.hidden || this.size().height < 560 ? 0 : this.legend.offsetHeight + 12;
  }

  /** Bring the middle of a box to the middle of the window. */
  show(box, scale, isSlow = true) {
    const {width, height} = this.freeSize();
    const target = d3.zoomIdentity.translate(width / 2, height / 2).scale(scale)
      .translate(-box.x - box.width / 2, -box.y - box.height / 2);
    this.move(isSlow, (selection) => this.zoom.transform(selection, target));
  }

  /** The size of what no panel at the bottom hides. */
  freeSize() {
    const {width, height} = this.size(), isBelow = !this.panel.hidden && this.panel.offsetWidth > 0.8 * width;
    return {width, height: isBelow ? height - this.panel.offsetHeight : height};
  }

  move(isSlow, how) {
    this.isFitted = false;
    const selection = d3.select(this.canvas).interrupt();
    how(isSlow && !matchMedia("(prefers-reduced-motion: reduce)").matches ? selection.transition().duration(350) : selection);
  }

  zoomBy(factor) {
    this.move(true, (selection) => this.zoom.scaleBy(selection, factor));
  }

  /** Draw with the next frame of the screen, once. */
  draw() {
    if (this.awaited) return;
    this.awaited = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    cancelAnimationFrame(this.awaited);
    this.awaited = null;
    this.ratio = this.canvas.width / this.size().width;
    this.k = this.transform.k;
    this.context.setTransform(1, 0, 0, 1, 0, 0);
    this.context.fillStyle = this.theme.paper;
    this.context.fillRect(0, 0, this.canvas.width, this.canvas.height);
    if (this.done && this.painter) this.nDrawn = this.painter.paint(this.context, this);
  }

  // What painters ask for.

  inWorld(context) {
    const {k, x, y} = this.transform, {ratio} = this;
    context.setTransform(ratio * k, 0, 0, ratio * k, ratio * x, ratio * y);
  }

  onScreen(context) {
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
  }

  toScreen(x, y) {
    return this.transform.apply([x, y]);
  }

  sees(box, margin) {
    const {k, x, y} = this.transform, {width, height} = this.shape;
    return (box.x + box.width) * k + x > -margin && box.x * k + x < width + margin
      && (box.y + box.height) * k + y > -margin && box.y * k + y < height + margin;
  }

  /** Names where there is room for them, the first ones first; fainter on a ground of their own, if one is given. */
  labels(context, things, place, text, ground = null) {
    const {theme} = this, taken = [];
    context.font = `12px ${theme.font}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    for (const thing of things) {
      const words = shortText(text(thing), 30), [x, y] = place(thing);
      const half = context.measureText(words).width / 2 + 3;
      if (taken.some((box) => Math.abs(box.x - x) < box.half + half && Math.abs(box.y - y) < 15)) continue;
      taken.push({x, y, half});
      context.strokeStyle = theme.paper;
      context.fillStyle = ground;
      context.lineWidth = 4;
      if (ground) context.fillRect(x - half + 1, y - 7, 2 * half - 2, 14);
      else context.strokeText(words, x, y);
      context.fillStyle = ground ? theme.faint : theme.ink;
      context.fillText(words, x, y);
    }
  }
}

/** The colours that style sheets set for an element. */
function themeOf(container) {
  const style = getComputedStyle(container);
  const value = (name) => style.getPropertyValue(`--${name}`).trim();
  const names = ["blue", "orange", "green", "red", "purple", "sky", "yellow", "ink", "faint", "line", "paper", "raised", "accent"];
  const theme = Object.fromEntries(names.map((name) => [name, value(name)]));
  const isDark = d3.lab(theme.paper).l < 50;
  const series = [theme.blue, theme.orange, theme.green, theme.red, theme.purple, theme.sky];
  return {...theme, isDark, name: isDark ? "dark" : "light", series, circles: [...series, theme.ink], font: value("text")};
}
