/* Assembly graphs: unitigs as strokes whose ends are linked. */
"use strict";

const UNITIG_WIDTH = 7; // in units of the layout, of single-copy sequence
const LINK_DISTANCE = 9;
const MOST_POINTS = 9000; // in all, beyond the two that each unitig needs
const MOST_LABELS = 160;
const DETAIL = 900; // strokes in view up to which each gets its rim and arrow

/** How long a stroke is: the root of the sequence's length, so that the shortest are still seen beside the longest. */
const strokeLength = (lengthBp) => 18 + 1.4 * Math.sqrt(lengthBp);

/**
 * Lay unitigs out and return what draws them.
 *
 * @param model of graphModel
 * @param how {aspect: width by height to fill, progress: told how much is done, from 0 to 1}
 * @returns Promise of {bounds, boxes, paint, hit, legend, choices}
 */
async function unitigPainter(model, {aspect, progress}) {
  const points = await unitigPoints(model, aspect, progress);
  const line = d3.line((p) => p.x, (p) => p.y).curve(d3.curveCatmullRom.alpha(0.5));
  const paths = points.map((own, i) => traced(model.rings[i] ? line.curve(d3.curveCatmullRomClosed.alpha(0.5)) :
    line.curve(d3.curveCatmullRom.alpha(0.5)), own));
  const links = model.links.filter((link) => !model.rings[link.source]);
  const joints = links.map((link) => jointPath(points, link));
  const boxes = points.map((own) => boxOf(own, 0));
  const depth = depthScale(model.data);
  const bounds = boxOf(points.flat(), 2 * UNITIG_WIDTH);
  const styles = {key: null};

  function styled(view) {
    const key = [view.choices.colour, view.choices.width, view.theme.name].join();
    if (styles.key !== key) Object.assign(styles, unitigStyles(model, depth, view), {key});
    return styles;
  }

  // Seen as a whole, few strokes are wider than many; from near, none is a broad road.
  const least = model.n < 600 ? 0.5 : model.n < 2000 ? 0.36 : 0.26;
  const most = (i) => (model.rings[i] ? strokeLength(model.data.lengths[i]) / (4 * Math.PI) : Infinity); // leaves a hole
  const pixels = (i, view) => Math.max(1.2, Math.min(styled(view).widths[i] * Math.max(least, Math.min(view.k, 3)), most(i) * view.k));

  function paint(context, view) {
    const {colours} = styled(view);
    const shown = d3.range(model.n).filter((i) => view.sees(boxes[i], 24));
    const stroke = (path, colour, width) => {
      context.strokeStyle = colour;
      context.lineWidth = width / view.k;
      context.stroke(path);
    };
    view.inWorld(context);
    context.lineJoin = "round";
    context.lineCap = "butt";
    const seen = new Uint8Array(model.n);
    for (const i of shown) seen[i] = 1;
    links.forEach(({source, target}, l) => {
      if (seen[source] || seen[target]) stroke(joints[l], view.theme.faint, Math.min(Math.max(1, 1.6 * view.k), 2.5));
    });
    for (const {things, colour, extra} of view.marks()) {
      context.lineCap = "round";
      for (const i of things) if (seen[i]) stroke(paths[i], colour, pixels(i, view) + extra);
    }
    context.lineCap = shown.length < DETAIL ? "butt" : "square";
    for (const i of shown) {
      if (shown.length < DETAIL) stroke(paths[i], view.theme.paper, pixels(i, view) + 2.5);
      stroke(paths[i], colours[i], pixels(i, view));
    }
    view.onScreen(context);
    const isLong = (i) => strokeLength(model.data.lengths[i]) * view.k > 40;
    if (shown.length < DETAIL) for (const i of shown.filter(isLong)) paintArrow(context, points[i], pixels(i, view), view, model.rings[i]);
    paintLabels(context, shown);
    return shown.length;

    function paintLabels(to, candidates) {
      const wanted = candidates.filter((i) => view.isMarked(i) || strokeLength(model.data.lengths[i]) * view.k > 60);
      const order = d3.sort(wanted, (i) => (view.isMarked(i) ? 0 : 1), (i) => -model.data.lengths[i]);
      const at = (i) => {
        const own = points[i], middle = own[Math.floor((own.length - 1) / 2)], next = own[Math.ceil((own.length - 1) / 2)];
        return view.toScreen((middle.x + next.x) / 2, (middle.y + next.y) / 2);
      };
      view.labels(to, order.slice(0, MOST_LABELS), at, (i) => model.names[i]);
    }
  }

  /** The unitig under a place, the nearest if there are several within so many units of it. */
  function hit(x, y, tolerance, view) {
    let best = null, least = Infinity;
    for (let i = 0; i < model.n; i++) {
      const reach = tolerance + pixels(i, view) / view.k / 2, box = boxes[i];
      if (x < box.x - reach || y < box.y - reach || x > box.x + box.width + reach || y > box.y + box.height + reach) continue;
      const distance = distanceToLine(points[i], x, y, model.rings[i]);
      if (distance <= reach && distance < least) [best, least] = [i, distance];
    }
    return best === null ? null : {thing: best};
  }

  const choices = [{name: "colour", label: "Colour", values: ["depth", "component", "plain"]},
    {name: "width", label: "Width", values: ["depth", "constant"]}];
  if (!model.hasDepth) {
    choices[0].values.shift();
    choices.pop();
  }
  return {bounds, boxes, paint, hit, choices, legend: (view) => unitigLegend(model, depth, view)};
}

/** Points along each unitig, from its start to its end. */
async function unitigPoints(model, aspect, progress) {
  const lengths = model.data.lengths.map(strokeLength);
  const spacing = 34 * Math.max(1, d3.sum(lengths) / 34 / MOST_POINTS);
  const nPieces = lengths.map((length) => Math.max(1, Math.min(40, Math.round(length / spacing))));
  const points = new Array(model.n);
  const place = async (members, pause, random) => {
    const only = members[0];
    if (members.length === 1 && model.rings[only]) {
      points[only] = circlePoints(lengths[only]);
    } else if (members.length === 1 && model.touching[only].length === 0) {
      points[only] = d3.range(nPieces[only] + 1).map((p) => ({x: lengths[only] * (p / nPieces[only]), y: 0}));
    } else {
      await placeChains(members, pause, random);
    }
    return members.flatMap((i) => points[i]);
  };

  async function placeChains(members, pause, random) {
    const first = new Map();
    const edges = [], bends = [];
    let n = 0;
    for (const i of members) {
      first.set(i, n);
      const distance = lengths[i] / nPieces[i];
      for (let p = 0; p < nPieces[i]; p++) edges.push({source: n + p, target: n + p + 1, distance});
      for (let p = 0; p + 2 <= nPieces[i]; p++) bends.push({source: n + p, target: n + p + 2, distance: 2 * distance});
      n += nPieces[i] + 1;
    }
    const end = (i, which) => first.get(i) + (which === GRAPH_END ? nPieces[i] : 0);
    for (const l of new Set(members.flatMap((i) => model.touching[i]))) {
      const {source, target, leaves, enters} = model.links[l];
      const [a, b] = [end(source, leaves), end(target, enters)];
      if (a !== b) edges.push({source: a, target: b, distance: LINK_DISTANCE});
    }
    const finish = (simulation) => simulation.force("bends", d3.forceLink(bends).distance((b) => b.distance).strength(0.3));
    const nodes = await forceLevels({n, sizes: new Array(n).fill(0), edges, push: 0.03, finish}, pause, random);
    turned(nodes, aspect);
    for (const i of members) points[i] = nodes.slice(first.get(i), first.get(i) + nPieces[i] + 1);
  }

  await layoutComponents(model.components, place, {aspect, margin: 12, gap: 14, progress});
  return points;
}

/** Points on a circle, clockwise from the top. */
function circlePoints(circumference) {
  const radius = circumference / (2 * Math.PI);
  return d3.range(48).map((i) => {
    const angle = (i / 24) * Math.PI;
    return {x: radius * Math.sin(angle), y: -radius * Math.cos(angle)};
  });
}

function traced(line, points) {
  const path = new Path2D();
  line.context(path)(points);
  return path;
}

/** The curve of a link: it continues in the direction of the ends that it connects. */
function jointPath(points, {source, target, leaves, enters}) {
  const [p, out] = endOf(points[source], leaves), [q, back] = endOf(points[target], enters);
  const path = new Path2D();
  path.moveTo(p.x, p.y);
  if (p === q) { // it turns round at its own end
    const reach = 16, side = 12;
    path.bezierCurveTo(p.x + reach * out.x - side * out.y, p.y + reach * out.y + side * out.x,
      p.x + reach * out.x + side * out.y, p.y + reach * out.y - side * out.x, p.x, p.y);
    return path;
  }
  const pull = Math.min(40, Math.max(3, 0.4 * Math.hypot(p.x - q.x, p.y - q.y)));
  path.bezierCurveTo(p.x + pull * out.x, p.y + pull * out.y, q.x + pull * back.x, q.y + pull * back.y, q.x, q.y);
  return path;
}

/** An end of a stroke, and the direction in which it ends. */
function endOf(points, which) {
  const [p, before] = which === GRAPH_END ? [points.at(-1), points.at(-2)] : [points[0], points[1]];
  const distance = Math.hypot(p.x - before.x, p.y - before.y) || 1;
  return [p, {x: (p.x - before.x) / distance, y: (p.y - before.y) / distance}];
}

/** Which way the sequence reads, where the stroke is wide enough to show it. */
function paintArrow(context, points, width, view, isRing) {
  if (width < 6) return;
  const at = Math.ceil(0.8 * (points.length - 1)); // not in the middle, where the name is
  const [a, b] = [points[at - 1], points[at]];
  const part = points.length > 2 || isRing ? 0.5 : 0.8;
  const [x, y] = view.toScreen(a.x + part * (b.x - a.x), a.y + part * (b.y - a.y));
  context.save();
  context.translate(x, y);
  context.rotate(Math.atan2(b.y - a.y, b.x - a.x));
  context.beginPath();
  const r = Math.min(0.32 * width, 6);
  context.moveTo(-0.6 * r, -r);
  context.lineTo(0.6 * r, 0);
  context.lineTo(-0.6 * r, r);
  context.strokeStyle = view.theme.paper;
  context.lineWidth = Math.max(1.2, 0.14 * width);
  context.stroke();
  context.restore();
}

/** Depths: of single-copy sequence (the median over bases), and the range that colours show. */
function depthScale({depths, lengths}) {
  const known = d3.range(depths.length).filter((i) => depths[i] > 0);
  if (known.length === 0) return {median: 1, low: 0.5, high: 2};
  const order = d3.sort(known, (i) => depths[i]);
  const half = d3.sum(known, (i) => lengths[i]) / 2;
  let [median, sum] = [depths[order.at(-1)], 0];
  for (const i of order) {
    sum += lengths[i];
    if (sum >= half) {
      median = depths[i];
      break;
    }
  }
  const values = order.map((i) => depths[i]);
  const low = Math.min(d3.quantileSorted(values, 0.03), median / 2), high = Math.max(d3.quantileSorted(values, 0.97), 2 * median);
  return {median, low, high};
}

/** The part of viridis that is told from the background. */
const depthColour = (theme) => (t) => d3.interpolateViridis(theme.isDark ? 0.28 + 0.72 * t : 0.82 * t);

function unitigStyles(model, {median, low, high}, {choices, theme}) {
  const {depths} = model.data;
  const scale = d3.scaleSequentialLog([low, high], depthColour(theme)).clamp(true);
  const colour = {
    depth: (i) => (depths[i] > 0 ? scale(depths[i]) : theme.faint),
    component: (i) => theme.series[model.component[i] % theme.series.length],
    plain: () => theme.accent,
  }[choices.colour];
  const byDepth = choices.width === "depth" && model.hasDepth;
  const copies = (i) => (depths[i] > 0 ? Math.max(0.35, Math.min(9, depths[i] / median)) : 0.35);
  const widths = d3.range(model.n).map((i) => UNITIG_WIDTH * (byDepth ? Math.sqrt(copies(i)) : 1));
  return {colours: d3.range(model.n).map(colour), widths};
}

/** What the colours mean: {ramp} with three values of depth, or rows of colour and text. */
function unitigLegend(model, {median, low, high}, {choices, theme}) {
  const rows = [];
  if (choices.colour === "depth") {
    const stops = d3.range(0, 1.01, 0.1).map(depthColour(theme));
    const at = Math.log(median / low) / Math.log(high / low);
    rows.push({ramp: stops, title: "depth", ticks: [[0, low], ...(at > 0.26 && at < 0.7 ? [[at, median]] : []), [1, high]]});
    if (model.data.depths.some((depth) => !(depth > 0))) rows.push({colour: theme.faint, text: "no depth known"});
  } else if (choices.colour === "component") {
    model.components.slice(0, theme.series.length).forEach((members, c) => {
      rows.push({colour: theme.series[c], text: `component ${c + 1}: ${counted(members.length, "unitig")}`});
    });
    const nMore = model.components.length - rows.length;
    if (nMore > 0) rows.push({text: `and ${d3.format(",")(nMore)} more, in the same colours again`});
  }
  return rows;
}
