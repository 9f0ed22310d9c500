/* Directed graphs: vertices as dots or names in ovals, edges as arrows. */
"use strict";

const MOST_OVALS = 400; // vertices up to which names stand in them
const NAME_LETTERS = 18; // of a name in an oval
const DOT = 7, OVAL_HEIGHT = 26, LETTER_WIDTH = 7.3; // in units of the layout
const MOST_EDGE_LABELS = 300;
const FEW_EDGES = 60; // whose labels are shown from farther away
const DASHES = [[], [7, 4], [2, 3]]; // of circles beyond the number of colours

/** Lay vertices out and return what draws them; see unitigPainter. */
async function vertexPainter(model, {aspect, progress}) {
  const graph = model.data;
  const shapes = vertexShapes(graph);
  const {points, frames} = await vertexPoints(model, shapes, aspect, progress);
  const isFaint = ({number}) => ["", undefined, "washed"].includes(graph.edge_class?.[number]);
  const edges = d3.sort(edgeCurves(model, points, shapes), (edge) => (isFaint(edge) ? 0 : 1)); // those that stand out on top
  const boxes = points.map((p, i) => ({x: p.x - shapes[i].a, y: p.y - shapes[i].b, width: 2 * shapes[i].a, height: 2 * shapes[i].b}));
  const corners = edges.flatMap(({box}) => [{x: box.x, y: box.y}, {x: box.x + box.width, y: box.y + box.height}]);
  const all = [...boxes, ...frames].flatMap((box) => [{x: box.x, y: box.y}, {x: box.x + box.width, y: box.y + box.height}]);
  const bounds = boxOf([...all, ...corners], 10);
  const starts = new Set(graph.start || []), joins = new Set(graph.join || []);
  const hasClasses = (graph.node_class || []).some(Boolean);

  function paint(context, view) {
    view.inWorld(context);
    if (graph.components) for (const frame of frames) paintFrame(context, frame, view);
    const shownEdges = edges.filter(({box}) => view.sees(box, 10));
    for (const edge of shownEdges) paintEdge(context, edge, edgeStyle(graph.edge_class?.[edge.number], view.theme), view);
    view.onScreen(context);
    paintEdgeLabels(context, shownEdges, view);
    view.inWorld(context);
    const shown = d3.range(model.n).filter((i) => view.sees(boxes[i], 10));
    const marks = view.marks();
    for (const {things, colour, extra} of marks) {
      for (const i of things) {
        if (!view.sees(boxes[i], 10)) continue;
        traceOval(context, points[i], shapes[i], extra / 2 / view.k);
        context.fillStyle = colour;
        context.fill();
      }
    }
    for (const i of shown) paintVertex(context, i, view);
    view.onScreen(context);
    paintNames(context, shown, view);
    return shown.length;
  }

  function paintVertex(context, i, view) {
    const {theme} = view;
    const style = vertexStyle(graph.node_class?.[i], theme, starts.has(i) && !hasClasses);
    traceOval(context, points[i], shapes[i], 0);
    context.fillStyle = style.fill;
    context.fill();
    context.setLineDash(style.dash.map((length) => length / view.k));
    context.strokeStyle = starts.has(i) ? theme.green : style.line;
    context.lineWidth = Math.max(1, Math.min(style.width * view.k, style.width * 1.5)) / view.k * (starts.has(i) ? 2.5 : 1);
    context.stroke();
    context.setLineDash([]);
    if (joins.has(i)) paintJoin(context, points[i], shapes[i], view);
  }

  function paintNames(context, shown, view) {
    const size = 12 * view.k;
    const inside = shown.filter((i) => shapes[i].text !== null);
    if (size >= 5) {
      context.textAlign = "center";
      context.textBaseline = "middle";
      context.font = `${size}px ${view.theme.font}`;
      for (const i of inside) {
        const [x, y] = view.toScreen(points[i].x, points[i].y);
        context.fillStyle = vertexStyle(graph.node_class?.[i], view.theme, starts.has(i) && !hasClasses).ink;
        context.fillText(shapes[i].text, x, y + 0.06 * size);
      }
    }
    const beside = shown.filter((i) => shapes[i].text === null && (view.isMarked(i) || DOT * view.k > 5 || shown.length < 40));
    const order = d3.sort(beside, (i) => (view.isMarked(i) ? 0 : 1), (i) => -model.touching[i].length);
    const below = (i) => {
      const [x, y] = view.toScreen(points[i].x, points[i].y + shapes[i].b);
      return [x, y + 10];
    };
    view.labels(context, order.slice(0, 400), below, (i) => model.names[i]);
  }

  function paintEdgeLabels(context, shownEdges, view) {
    if (!graph.labels) return;
    const labelled = shownEdges.filter(({number}) => graph.labels[number] && (view.k > (edges.length < FEW_EDGES ? 0.45 : 0.75) || view.hoverLink === number));
    const at = ({label}) => view.toScreen(label.x, label.y);
    view.labels(context, labelled.slice(0, MOST_EDGE_LABELS), at, ({number}) => graph.labels[number], graph.components ? view.theme.raised : view.theme.paper);
  }

  function hit(x, y, tolerance) {
    let best = null, least = Infinity;
    points.forEach((p, i) => {
      const {a, b} = shapes[i];
      const [dx, dy] = [(x - p.x) / (a + tolerance), (y - p.y) / (b + tolerance)];
      const distance = dx * dx + dy * dy;
      if (distance <= 1 && distance < least) [best, least] = [i, distance];
    });
    if (best !== null) return {thing: best};
    let link = null;
    least = tolerance;
    for (const edge of edges) {
      const {box} = edge;
      if (x < box.x - tolerance || y < box.y - tolerance || x > box.x + box.width + tolerance || y > box.y + box.height + tolerance) continue;
      const distance = distanceToLine(edge.samples, x, y, false);
      if (distance < least) [link, least] = [edge.number, distance];
    }
    return link === null ? null : {link};
  }

  return {bounds, boxes, paint, hit, choices: [], legend: (view) => vertexLegend(graph, view.theme)};

  function paintEdge(context, edge, style, view) {
    const isHovered = view.hoverLink === edge.number;
    const width = Math.min(Math.max(0.8, style.width * view.k), 1.6 * style.width) * (isHovered ? 2 : 1);
    context.strokeStyle = context.fillStyle = isHovered ? view.theme.accent : style.colour;
    context.globalAlpha = isHovered ? 1 : style.alpha;
    context.lineWidth = width / view.k;
    context.setLineDash(style.dash.map((length) => length / Math.max(0.5, view.k)));
    context.beginPath();
    context.moveTo(edge.from.x, edge.from.y);
    context.bezierCurveTo(edge.c1.x, edge.c1.y, edge.c2.x, edge.c2.y, edge.to.x, edge.to.y);
    context.stroke();
    context.setLineDash([]);
    if (!graph.undirected && view.k > 0.22) {
      const size = Math.min(9, 5 + 2 * style.width);
      const angle = Math.atan2(edge.tip.y - edge.to.y, edge.tip.x - edge.to.x);
      context.beginPath();
      context.moveTo(edge.tip.x, edge.tip.y);
      context.lineTo(edge.tip.x - size * Math.cos(angle - 0.4), edge.tip.y - size * Math.sin(angle - 0.4));
      context.lineTo(edge.tip.x - size * Math.cos(angle + 0.4), edge.tip.y - size * Math.sin(angle + 0.4));
      context.fill();
    }
    context.globalAlpha = 1;
  }
}

/** Half axes of each vertex and the text in it, if it has room for one. */
function vertexShapes(graph) {
  const areOvals = graph.names.length <= MOST_OVALS;
  return graph.names.map((name, i) => {
    const grown = graph.sizes && graph.sizes[i] > 1 ? 1 + 0.5 * Math.log2(graph.sizes[i]) : 1;
    if (!areOvals) return {a: DOT * Math.sqrt(grown), b: DOT * Math.sqrt(grown), text: null};
    const text = shortText(name, NAME_LETTERS);
    const height = (OVAL_HEIGHT / 2) * Math.sqrt(grown);
    return {a: Math.max(height, ([...text].length * LETTER_WIDTH + 16) / 2), b: height, text};
  });
}

/** Places of vertices, and the box of each component. */
async function vertexPoints(model, shapes, aspect, progress) {
  const points = new Array(model.n);
  const areOvals = shapes.some(({text}) => text !== null);
  const place = async (members, pause, random) => {
    const number = new Map(members.map((i, at) => [i, at]));
    const pairs = new Map();
    for (const l of new Set(members.flatMap((i) => model.touching[i]))) {
      const {source, target} = model.links[l];
      if (source === target) continue;
      const [a, b] = d3.extent([source, target]);
      const key = a * model.n + b, letters = Math.min(18, model.data.labels?.[model.links[l].edge]?.length || 0);
      pairs.set(key, [a, b, Math.max(letters, pairs.get(key)?.[2] || 0)]);
    }
    const room = (areOvals ? 34 : 20) * Math.min(5, Math.max(1, pairs.size / members.length / 1.5));
    const edges = Array.from(pairs.values(), ([a, b, letters]) => ({
      source: number.get(a), target: number.get(b),
      distance: shapes[a].a + shapes[b].a + Math.max(room, areOvals ? 26 + 6 * letters : 0),
    }));
    const collide = d3.forceCollide((_, i) => shapes[members[i]].a + 5);
    const finish = (simulation) => simulation.force("collide", collide);
    const sizes = members.map((i) => shapes[i].a);
    const nodes = await bestLayout({n: members.length, sizes, edges, push: 0.08, finish}, pause, random);
    turned(nodes, aspect);
    members.forEach((i, at) => { points[i] = nodes[at]; });
    return nodes;
  };
  const margin = d3.max(shapes, ({a}) => a) + 24 || 24;
  const frames = await layoutComponents(model.components, place, {aspect, margin, gap: 16, progress});
  return {points, frames};
}

/** The curves of all edges: parallel and opposite ones beside each other, loops on the side that is free. */
function edgeCurves(model, points, shapes) {
  const groups = d3.group(model.links, ({source, target}) => d3.extent([source, target]).join());
  const curves = [];
  for (const links of groups.values()) {
    links.forEach((link, j) => {
      const {source, target} = link;
      const made = source === target
        ? loopCurve(points[source], shapes[source], freeAngle(model, points, source), j)
        : bentCurve(points[source], points[target], bend(links.length, j) * (source < target ? 1 : -1));
      curves.push(clipped(made, points, shapes, link));
    });
  }
  return d3.sort(curves, (curve) => curve.number);
}

/** How far the j-th of n edges between two vertices bends; one alone is straight. */
const bend = (n, j) => (j - (n - 1) / 2) * Math.min(22, 160 / n);

function bentCurve(p, q, offset) {
  const distance = Math.hypot(q.x - p.x, q.y - p.y) || 1;
  const [nx, ny] = [-(q.y - p.y) / distance, (q.x - p.x) / distance];
  const at = (part) => ({x: p.x + part * (q.x - p.x) + 1.33 * offset * nx, y: p.y + part * (q.y - p.y) + 1.33 * offset * ny});
  return {from: p, c1: at(0.3), c2: at(0.7), to: q};
}

/** The direction from a vertex in which fewest of its neighbours are. */
function freeAngle(model, points, i) {
  const angles = [];
  for (const l of model.touching[i]) {
    const {source, target} = model.links[l];
    const other = source === i ? target : source;
    if (other !== i) angles.push(Math.atan2(points[other].y - points[i].y, points[other].x - points[i].x));
  }
  if (angles.length === 0) return -Math.PI / 2;
  angles.sort(d3.ascending);
  const gaps = angles.map((angle, j) => ({angle, gap: (j + 1 < angles.length ? angles[j + 1] : angles[0] + 2 * Math.PI) - angle}));
  const widest = d3.greatest(gaps, ({gap}) => gap);
  return widest.angle + widest.gap / 2;
}

function loopCurve(p, {a, b}, angle, j) {
  const reach = 1 / Math.hypot(Math.cos(angle) / a, Math.sin(angle) / b) + 34 + 24 * Math.min(j, 10);
  const wide = 0.62 - 0.03 * Math.min(j, 8);
  const at = (turn) => ({x: p.x + 1.25 * reach * Math.cos(angle + turn), y: p.y + 1.25 * reach * Math.sin(angle + turn)});
  return {from: p, c1: at(-wide), c2: at(wide), to: p};
}

/** A curve from rim to rim, with its arrow's tip, a place for its label, and lines close to it for the pointer. */
function clipped({from, c1, c2, to}, points, shapes, {source, target, edge}) {
  const at = (t) => {
    const [u, v, w, z] = [(1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t ** 3];
    return {x: u * from.x + v * c1.x + w * c2.x + z * to.x, y: u * from.y + v * c1.y + w * c2.y + z * to.y};
  };
  const isIn = (p, i, margin) => ((p.x - points[i].x) / (shapes[i].a + margin)) ** 2 + ((p.y - points[i].y) / (shapes[i].b + margin)) ** 2 < 1;
  const leaves = (i, inner, outer, margin) => {
    for (let step = 0; step < 14; step++) {
      const middle = (inner + outer) / 2;
      if (isIn(at(middle), i, margin)) inner = middle; else outer = middle;
    }
    return outer;
  };
  const [t0, t1, tip] = [leaves(source, 0, 0.5, 0), leaves(target, 1, 0.5, 6), leaves(target, 1, 0.5, 1)];
  const samples = d3.range(9).map((s) => at(t0 + (t1 - t0) * (s / 8)));
  const part = partOfBezier(from, c1, c2, to, t0, t1);
  return {...part, tip: at(tip), label: samples[4], samples, box: boxOf([...samples, part.c1, part.c2], 2), number: edge};
}

/** A cubic curve from t0 to t1, by blossoms. */
function partOfBezier(p0, p1, p2, p3, t0, t1) {
  const mix = (a, b, t) => ({x: a.x + t * (b.x - a.x), y: a.y + t * (b.y - a.y)});
  const blossom = (r, s, t) => {
    const [a, b, c] = [mix(p0, p1, r), mix(p1, p2, r), mix(p2, p3, r)];
    return mix(mix(a, b, s), mix(b, c, s), t);
  };
  return {from: blossom(t0, t0, t0), c1: blossom(t0, t0, t1), c2: blossom(t0, t1, t1), to: blossom(t1, t1, t1)};
}

function traceOval(context, {x, y}, {a, b}, more) {
  context.beginPath();
  context.ellipse(x, y, a + more, b + more, 0, 0, 2 * Math.PI);
}

/** Where circles are joined: a double rim. */
function paintJoin(context, point, shape, {theme, k}) {
  context.strokeStyle = theme.red;
  context.lineWidth = Math.max(1, Math.min(1.6 * k, 2.4)) / k;
  for (const inset of [0, Math.min(4, shape.b / 3)]) {
    traceOval(context, point, shape, -inset);
    context.stroke();
  }
}

function paintFrame(context, {x, y, width, height}, {theme, k}) {
  context.beginPath();
  context.roundRect(x, y, width, height, 12);
  context.fillStyle = theme.raised;
  context.fill();
  context.strokeStyle = theme.line;
  context.lineWidth = 1 / k;
  context.stroke();
}

/** Classes differ in their rims too, for those who do not see the colours. */
function vertexStyle(name, theme, isStart) {
  const rim = {line: theme.ink, width: 1.4, dash: [], ink: "#000000"};
  switch (isStart ? "start" : name === "start" ? "" : name) {
    case "in": return {...rim, fill: "#4cc9a4"};
    case "out": return {...rim, fill: theme.yellow, dash: [4, 3]};
    case "both": return {...rim, fill: theme.sky, width: 3};
    case "start": return {...rim, fill: "#4cc9a4", width: 2};
    default: return {...rim, fill: theme.raised, line: theme.faint, ink: theme.ink};
  }
}

function edgeStyle(name, theme) {
  const plain = {colour: theme.faint, width: 1.5, dash: [], alpha: 1};
  switch (name) {
    case "": case undefined: return plain;
    case "tree": return {...plain, colour: theme.red, width: 3.5};
    case "washed": return {...plain, alpha: 0.25};
    case "added": return {...plain, dash: [5, 4]};
    default: return circleStyle(Number(name.slice(1)), theme, plain);
  }
}

function circleStyle(number, theme, plain) {
  const colours = [...theme.circles];
  return {...plain, colour: colours[number % colours.length], width: 2.6, dash: DASHES[Math.floor(number / colours.length) % 3]};
}

/** The rows that the graph brings with it: {oval or line, text}, or text alone. */
function vertexLegend(graph, theme) {
  const hasClasses = (graph.node_class || []).some(Boolean);
  const oval = (name) => {
    if (name === "start") return {...vertexStyle("start", theme, !hasClasses), line: theme.green, width: 4};
    return name === "join" ? {...vertexStyle("", theme, false), line: theme.red, width: 6, isDouble: true} : vertexStyle(name, theme, false);
  };
  return (graph.legend || []).map(([kind, name, text]) => {
    if (kind === "text") return {text};
    return kind === "node" ? {oval: oval(name), text} : {line: edgeStyle(name, theme), text};
  });
}
