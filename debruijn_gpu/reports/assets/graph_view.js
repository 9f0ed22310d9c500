/* A graph to look around in: pan, zoom, search, and what lies under the pointer. */
"use strict";

const POINTER_PX = 6, FINGER_PX = 16; // how near is on it

/**
 * Draw a graph into an element, which has a size of its own.
 *
 * @param container the element
 * @param graph of kind "unitigs" or "vertices"
 * @param options {embedded: whether the page around it scrolls, so that the wheel zooms only with Ctrl or the focus}
 * @returns the view; its `ready` is a Promise that resolves when everything is laid out
 */
function graphView(container, graph, options = {}) {
  const view = new GraphView(container, graph, options);
  container.graphView = view;
  if (!window.dbgGraph) window.dbgGraph = view;
  return view;
}

/** The graph with all that is around it: search, legend, panel and what the user does. */
class GraphView extends GraphCanvas {
  constructor(container, graph, options) {
    super();
    Object.assign(this, {container, options, model: graphModel(graph), done: false, hits: [], at: -1});
    Object.assign(this, {hovered: null, hoverLink: null, pinned: null, transform: d3.zoomIdentity, choices: {}});
    this.theme = themeOf(container);
    this.build();
    this.listen();
    this.ready = this.start();
  }

  /** Lay out, then show everything. */
  async start() {
    const {width, height} = this.size();
    const painter = this.model.kind === "unitigs" ? unitigPainter : vertexPainter;
    const progress = (part) => { this.bar.value = part; };
    this.painter = this.model.n === 0 ? null : await painter(this.model, {aspect: Math.max(0.4, width / height), progress});
    this.bar.remove();
    this.addChoices();
    this.done = true;
    this.showLegend();
    this.resize();
    this.fit(false);
  }

  build() {
    const {data} = this.model;
    const kind = data.kind === "unitigs" ? "Assembly graph" : "Graph";
    const keys = "Arrow keys move, plus and minus zoom, 0 shows everything, Enter tells about what is in the middle.";
    this.canvas = element("canvas", {tabindex: "0", role: "application", "aria-label": `${kind}: ${summaryOf(this.model)}. ${keys}`});
    this.context = this.canvas.getContext("2d");
    this.tip = element("div", {class: "tip", hidden: true, role: "tooltip"});
    this.panel = element("aside", {class: "panel", hidden: true, "aria-label": "Details"});
    this.legend = element("div", {class: "legend", hidden: true});
    this.bar = element("progress", {max: "1", value: "0", "aria-label": "Laying out"});
    this.status = element("span", {class: "status", role: "status"});
    this.search = element("input", {type: "search", placeholder: "Find by name", "aria-label": "Find by name", spellcheck: "false", autocomplete: "off", maxlength: "20000"});
    this.choosers = element("div", {class: "choosers screen-only"});
    const summary = element("p", {class: "faint summary"}, summaryOf(this.model));
    const head = element("div", {class: "head"}, this.choosers, summary, this.searchBox());
    this.stage = element("div", {class: "stage"}, this.canvas, this.bar, this.legend, this.zoomButtons(), this.panel, this.tip);
    if (this.model.n === 0) this.stage.append(element("p", {class: "nothing"}, "The graph is empty."));
    const note = data.note ? element("p", {class: "faint note"}, data.note) : null;
    this.container.classList.add("graph-view");
    if (this.options.embedded) this.container.classList.add("embedded");
    this.container.replaceChildren(...[head, note, this.stage].filter(Boolean));
  }

  searchBox() {
    const step = (by) => () => this.next(by);
    this.steps = [element("button", {type: "button", class: "icon", "aria-label": "Previous hit", disabled: true, click: step(-1)}, icon(ICONS.before)),
      element("button", {type: "button", class: "icon", "aria-label": "Next hit", disabled: true, click: step(1)}, icon(ICONS.after))];
    return element("div", {class: "search screen-only", role: "search"}, this.status, this.search, this.steps);
  }

  zoomButtons() {
    const button = (label, path, click) => element("button", {type: "button", class: "icon", "aria-label": label, title: label, click}, icon(path));
    const whole = document.fullscreenEnabled && this.options.embedded ? button("Whole screen", ICONS.whole, () => this.wholeScreen()) : null;
    return element("div", {class: "buttons screen-only"},
      button("Zoom in", ICONS.nearer, () => this.zoomBy(1.6)), button("Zoom out", ICONS.farther, () => this.zoomBy(1 / 1.6)),
      button("Show everything", ICONS.fit, () => this.fit()), button("Save as PNG", ICONS.save, () => this.save()), whole);
  }

  addChoices() {
    for (const {name, label, values} of this.painter?.choices || []) {
      this.choices[name] = values[0];
      const choose = (event) => {
        this.choices[name] = event.target.value;
        this.showLegend();
        this.draw();
      };
      const select = element("select", {change: choose}, values.map((value) => element("option", {value}, value)));
      this.choosers.append(element("label", {}, `${label} `, select));
    }
  }

  listen() {
    const {canvas, options} = this;
    const isOurs = (event) => {
      if (event.type === "wheel") return !options.embedded || event.ctrlKey || event.metaKey || document.activeElement === canvas;
      if (event.type.startsWith("touch")) return !options.embedded || event.touches.length > 1 || Boolean(document.fullscreenElement);
      return !event.button && !event.ctrlKey;
    };
    this.zoom = d3.zoom().filter(isOurs).clickDistance(5).tapDistance(12).on("zoom", ({transform}) => {
      this.transform = transform;
      this.tip.hidden = true;
      this.draw();
    });
    d3.select(canvas).call(this.zoom).on("dblclick.zoom", null);
    canvas.addEventListener("pointermove", (event) => this.hover(event));
    canvas.addEventListener("pointerleave", () => this.setHovered(null));
    canvas.addEventListener("click", (event) => this.click(event));
    canvas.addEventListener("keydown", (event) => this.key(event));
    this.search.addEventListener("input", () => this.find(this.search.value));
    this.search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.next(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") this.find(this.search.value = "");
    });
    new ResizeObserver(() => this.resize()).observe(this.stage);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.repaint());
    addEventListener("beforeprint", () => this.repaint("light"));
    addEventListener("afterprint", () => this.repaint(null));
  }

  /** Read the colours again and draw at once; in a theme that is asked for, if one is. */
  repaint(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    if (theme === null) delete document.documentElement.dataset.theme;
    this.theme = themeOf(this.container);
    this.showLegend();
    this.drawNow();
  }

  key(event) {
    const step = 70 / this.transform.k;
    const moves = {ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step]};
    const actions = {"+": () => this.zoomBy(1.4), "=": () => this.zoomBy(1.4), "-": () => this.zoomBy(1 / 1.4), "0": () => this.fit(),
      Escape: () => this.pin(null), Enter: () => this.pinMiddle()};
    if (event.ctrlKey || event.metaKey || event.altKey || !this.painter) return;
    if (moves[event.key]) this.move(false, (selection) => this.zoom.translateBy(selection, ...moves[event.key]));
    else if (actions[event.key]) actions[event.key]();
    else return;
    event.preventDefault();
  }

  pinMiddle() {
    const {width, height} = this.size();
    for (const reach of [10, 40, 120, 400, 2000]) {
      const found = this.under(width / 2, height / 2, reach);
      if (found?.thing !== undefined) return this.pin(found.thing, true);
    }
    return null;
  }

  under(x, y, reach) {
    if (!this.painter || !this.done) return null;
    const [worldX, worldY] = this.transform.invert([x, y]);
    return this.painter.hit(worldX, worldY, reach / this.transform.k, this);
  }

  hover(event) {
    if (event.pointerType === "touch" || event.buttons) return;
    this.setHovered(this.under(event.offsetX, event.offsetY, POINTER_PX), event.offsetX, event.offsetY);
  }

  setHovered(found, x, y) {
    const [thing, link] = [found?.thing ?? null, found?.link ?? null];
    if (thing !== this.hovered || link !== this.hoverLink) {
      [this.hovered, this.hoverLink] = [thing, link];
      this.tip.replaceChildren(...(found ? tipOf(this.model, found) : []));
      this.canvas.style.cursor = found ? "pointer" : "";
      this.draw();
    }
    this.tip.hidden = !found;
    if (!found) return;
    const {width, height} = this.size();
    const [wide, high] = [this.tip.offsetWidth, this.tip.offsetHeight];
    this.tip.style.left = `${Math.max(4, x + 16 + wide > width ? x - 12 - wide : x + 16)}px`;
    this.tip.style.top = `${Math.max(4, Math.min(y + 12, height - high - 4))}px`;
  }

  click(event) {
    if (event.defaultPrevented) return;
    const found = this.under(event.offsetX, event.offsetY, event.pointerType === "touch" ? FINGER_PX : POINTER_PX);
    this.tip.hidden = true;
    this.pin(found?.thing ?? null);
  }

  /** Show a thing in the panel until another is chosen; none: close it. */
  pin(i, takesFocus = false) {
    this.pinned = i;
    this.panel.hidden = i === null;
    this.stage.classList.toggle("with-panel", i !== null);
    const close = () => {
      this.pin(null);
      this.canvas.focus();
    };
    if (i !== null) {
      this.panel.replaceChildren(...panelOf(this.model, i, (other) => this.goTo(other, true), close));
      this.panel.scrollTop = 0;
      if (takesFocus) this.panel.querySelector("h2").focus({preventScroll: true});
    }
    this.draw();
  }

  /** Bring a thing into the middle, large enough to be seen, and tell about it. */
  goTo(i, takesFocus = false) {
    this.pin(i, takesFocus);
    const {width, height} = this.freeSize(), box = this.painter.boxes[i];
    const fits = Math.min((0.6 * width) / (box.width + 30), (0.6 * height) / (box.height + 30));
    const scale = Math.min(fits, Math.max(this.transform.k, Math.min(1.6, 3 * this.scaleToFit())));
    this.show(box, Math.max(scale, this.scaleToFit()));
  }

  find(text) {
    this.hits = this.model.find(text);
    this.hitSet = new Set(this.hits);
    this.at = -1;
    for (const button of this.steps) button.disabled = this.hits.length === 0;
    if (text === "") this.status.textContent = "";
    else this.status.textContent = this.hits.length === 0 ? "no such name" : `${inGroups(this.hits.length)} found`;
    this.status.classList.toggle("none", text !== "" && this.hits.length === 0);
    this.draw();
  }

  next(by) {
    if (this.hits.length === 0 || !this.done) return;
    this.at = this.at < 0 && by < 0 ? this.hits.length - 1 : (this.at + by + this.hits.length) % this.hits.length;
    this.status.textContent = `${inGroups(this.at + 1)} of ${inGroups(this.hits.length)}`;
    this.goTo(this.hits[this.at]);
  }

  showLegend() {
    const rows = this.painter ? this.painter.legend(this) : [];
    this.legend.hidden = rows.length === 0;
    this.legend.replaceChildren(...legendRows(rows));
  }

  wholeScreen() {
    if (document.fullscreenElement) document.exitFullscreen();
    else this.container.requestFullscreen();
  }

  save() {
    this.drawNow();
    this.canvas.toBlob((blob) => {
      const address = URL.createObjectURL(blob);
      element("a", {href: address, download: "graph.png"}).click();
      setTimeout(() => URL.revokeObjectURL(address), 10_000);
    });
  }

  // What painters ask for, too.

  isMarked(i) {
    return i === this.pinned || i === this.hovered || (this.hitSet?.has(i) ?? false);
  }

  /** Haloes behind things: {things, colour, extra pixels}, from the widest to the narrowest. */
  marks() {
    const near = this.pinned === null ? [] : this.model.touching[this.pinned].map((l) => {
      const {source, target} = this.model.links[l];
      return source === this.pinned ? target : source;
    });
    const current = this.at >= 0 ? [this.hits[this.at]] : [];
    return [{things: near, colour: this.theme.line, extra: 9}, {things: this.hits, colour: this.theme.orange, extra: 9},
      {things: current, colour: this.theme.red, extra: 12},
      {things: [this.pinned, this.hovered].filter((i) => i !== null), colour: this.theme.ink, extra: 7}];
  }
}
