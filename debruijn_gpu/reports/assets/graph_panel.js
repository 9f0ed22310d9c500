/* Words about a graph and the things in it: tooltip, panel, legend. Names become text nodes, never HTML. */
"use strict";

const MOST_NEIGHBOURS = 60;

/** An element with attributes and children; strings become text, functions listeners. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null));
  return made;
}

/** A line drawing of 24 x 24 for a button. */
function icon(path) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("viewBox", "0 0 24 24");
  drawing.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  drawing.append(line);
  return drawing;
}

const ICONS = {
  nearer: "M12 5v14M5 12h14",
  farther: "M5 12h14",
  fit: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  whole: "M14 10l6-6M15 4h5v5M10 14l-6 6M4 15v5h5",
  save: "M12 4v11M7 11l5 5 5-5M5 20h14",
  before: "M15 5l-7 7 7 7",
  after: "M9 5l7 7-7 7",
  close: "M6 6l12 12M18 6L6 18",
};

const inGroups = d3.format(",");
const counted = (n, one, many = `${one}s`) => `${inGroups(n)} ${n === 1 ? one : many}`;
const asBases = (length) => `${inGroups(length)} bp`;
const asDepth = (depth) => (depth >= 100 ? d3.format(",.0f") : d3.format(".3~r"))(depth);

/** At most so many characters of a text, without those in its middle, and without breaking one of two code units. */
function shortText(text, nLetters) {
  if (text.length <= nLetters) return text;
  const [first, last] = [[...text.slice(0, 2 * nLetters)], [...text.slice(-2 * nLetters)]];
  if (first.length <= nLetters && text.length <= 2 * nLetters) return text;
  const nLast = Math.floor((nLetters - 1) / 2);
  return `${first.slice(0, nLetters - 1 - nLast).join("")}…${last.slice(-nLast).join("")}`;
}

/** What the whole graph is, in one line. */
function summaryOf(model) {
  const {data, n} = model;
  const parts = data.kind === "unitigs"
    ? [counted(n, "unitig"), counted(model.links.length, "link"), asBases(d3.sum(data.lengths))]
    : [counted(n, "vertex", "vertices"), counted(data.n_edges ?? data.tails.length, "edge")];
  if (n > 0) parts.push(counted(model.components.length, "component"));
  if (data.n_left_out) parts.push(`the ${counted(data.n_left_out, "shortest unitig")} left out`);
  return parts.join(" · ");
}

/** Facts about a thing: rows of term and text. */
function factsOf(model, i) {
  const {data} = model;
  const facts = [];
  if (data.kind === "unitigs") {
    facts.push(["length", asBases(data.lengths[i])]);
    if (model.hasDepth) facts.push(["depth", data.depths[i] > 0 ? `${asDepth(data.depths[i])}×` : "not known"]);
    if (model.rings[i]) {
      facts.push(["shape", "circular"]);
    } else {
      const joints = jointsOf(model, i);
      const before = joints.filter(({mine}) => mine === GRAPH_START).length, after = joints.length - before;
      facts.push(["degrees", `${counted(before, "link")} at the start, ${inGroups(after)} at the end`]);
    }
  } else {
    facts.push(["degrees", `${inGroups(data.in[i])} in, ${inGroups(data.out[i])} out`]);
    if (data.sizes && data.sizes[i] > 1) facts.push(["stands for", counted(data.sizes[i], "vertex", "vertices")]);
    if ((data.start || []).includes(i)) facts.push(["walk", "begins here"]);
    if ((data.join || []).includes(i)) facts.push(["circles", "meet here"]);
  }
  if (model.components.length > 1) {
    facts.push(["component", `${inGroups(model.component[i] + 1)} of ${inGroups(model.components.length)}`]);
  }
  return facts;
}

/** Links of a unitig: its own end, and unitig and end of the neighbour. A link of an end to itself is listed once. */
function jointsOf(model, i) {
  const joints = [];
  for (const l of model.touching[i]) {
    const {source, target, leaves, enters} = model.links[l];
    if (source === i) joints.push({mine: leaves, other: target, theirs: enters});
    if (target === i && !(source === i && leaves === enters)) joints.push({mine: enters, other: source, theirs: leaves});
  }
  return joints;
}

function factList(facts) {
  return element("dl", {}, facts.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));
}

/** What is shown beside the pointer. */
function tipOf(model, found) {
  const {data} = model;
  if (found.link !== undefined) {
    const label = data.labels ? data.labels[found.link] : "";
    const ends = [data.tails[found.link], data.heads[found.link]].map((i) => shortText(model.names[i], 40));
    return [element("b", {}, ends.join(data.undirected ? " – " : " → ")), ...(label ? [element("div", {}, shortText(label, 200))] : [])];
  }
  const i = found.thing;
  const sequence = data.sequences ? data.sequences[i] : "";
  return [element("b", {}, shortText(model.names[i], 60)), factList(factsOf(model, i)),
    ...(sequence ? [element("div", {class: "sequence"}, sequence)] : [])];
}

/** Neighbours of a thing by the side on which they are: rows of title and [number, text]. */
function neighboursOf(model, i) {
  const {names, data} = model;
  if (model.kind === "unitigs") {
    // A neighbour is read forward if it is left at its end, or entered at its start.
    const side = (which) => jointsOf(model, i).filter(({mine}) => mine === which)
      .map(({other, theirs}) => [other, names[other] + (theirs === which ? "−" : "+")]);
    return [["Before", side(GRAPH_START)], ["After", side(GRAPH_END)]];
  }
  const links = model.touching[i].map((l) => model.links[l]);
  const into = links.filter(({target}) => target === i).map(({source}) => [source, names[source]]);
  const out = links.filter(({source}) => source === i).map(({target}) => [target, names[target]]);
  return data.undirected ? [["Neighbours", [...into, ...out]]] : [["From", into], ["To", out]];
}

/** The panel of one thing, whose neighbours can be gone to. */
function panelOf(model, i, go, close) {
  const {data} = model;
  const sequence = data.sequences ? data.sequences[i] : "";
  const lists = neighboursOf(model, i).filter(([, rows]) => rows.length > 0).map(([title, rows]) => [
    element("h3", {}, `${title} (${inGroups(rows.length)})`),
    element("ul", {}, rows.slice(0, MOST_NEIGHBOURS).map(([other, text]) =>
      element("li", {}, element("button", {type: "button", title: shortText(text, 200), click: () => go(other)}, shortText(text, 24))))),
    rows.length > MOST_NEIGHBOURS ? element("p", {class: "faint"}, `and ${inGroups(rows.length - MOST_NEIGHBOURS)} more`) : null,
  ]);
  return [
    element("header", {}, element("h2", {tabindex: "-1"}, shortText(model.names[i], 300)),
      element("button", {type: "button", class: "icon", "aria-label": "Close", click: close}, icon(ICONS.close))),
    factList(factsOf(model, i)),
    ...(sequence ? [element("h3", {}, "Sequence"), element("div", {class: "sequence"}, sequence)] : []),
    ...lists.flat().filter((part) => part !== null),
  ];
}

/** The legend's rows as elements. */
function legendRows(rows) {
  return rows.map((row) => {
    if (row.ramp) return rampOf(row);
    const sample = element("span", {class: row.line ? "sample line" : row.oval ? "sample oval" : "sample", "aria-hidden": "true"});
    if (row.line) {
      Object.assign(sample.style, {borderTop: `${row.line.width}px ${row.line.dash.length ? (row.line.dash[0] > 3 ? "dashed" : "dotted") : "solid"} ${row.line.colour}`, opacity: row.line.alpha});
    } else if (row.oval) {
      Object.assign(sample.style, {background: row.oval.fill, border: `${Math.max(1, row.oval.width / 1.4)}px ${row.oval.isDouble ? "double" : row.oval.dash.length ? "dashed" : "solid"} ${row.oval.line}`});
    } else {
      sample.style.background = row.colour || "transparent";
    }
    return element("div", {class: "row"}, row.colour || row.line || row.oval ? sample : "", element("span", {}, row.text));
  });
}

function rampOf({ramp, title, ticks}) {
  const bar = element("div", {class: "bar", "aria-hidden": "true"});
  bar.style.background = `linear-gradient(to right, ${ramp.join(", ")})`;
  const marks = ticks.map(([at, value]) => {
    const mark = element("span", {}, `${asDepth(value)}×`);
    mark.style.left = `${100 * at}%`;
    return mark;
  });
  return element("div", {class: "ramp"}, element("div", {}, title), bar, element("div", {class: "ticks"}, marks));
}
