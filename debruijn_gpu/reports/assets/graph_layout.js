/* Where things lie: d3-force for each component by itself, on ever finer versions of it; then the components in rows. */
"use strict";

const SLICE_MS = 14; // of computing before the browser may draw and listen
const FEW_NODES = 30; // that need no coarser version first
const SMALL_GRAPH = 60, N_ATTEMPTS = 10; // nodes up to which several layouts are made, and how many

/** A function to await between steps, which lets the browser in when a slice of time is over. */
function timeSlices() {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < SLICE_MS) return;
    await new Promise((resolve) => { setTimeout(resolve, 0); });
    began = performance.now();
  };
}

/**
 * Lay out connected nodes.
 *
 * @param graph {n, sizes, edges: [{source, target, distance}], push, finish}: how strongly nodes push each other off;
 *   finish(simulation) adds forces to the finest
 * @param pause what to await between steps
 * @returns Promise of nodes with x and y
 */
async function forceLevels(graph, pause, random, isFinest = true) {
  // d3-force puts nodes without a place on a spiral, in their order.
  const nodes = Array.from({length: graph.n}, (_, i) => (graph.places ? {...graph.places[i]} : {}));
  const coarse = graph.n > FEW_NODES ? coarser(graph) : null;
  let nTicks = 300;
  if (coarse && coarse.n < 0.9 * graph.n) {
    const places = await forceLevels(coarse, pause, random, false);
    nodes.forEach((node, i) => {
      const {x, y} = places[coarse.of[i]], apart = 0.5 * coarse.sizes[coarse.of[i]];
      node.x = x + (random() - 0.5) * apart;
      node.y = y + (random() - 0.5) * apart;
    });
    nTicks = graph.n > 4000 ? 60 : graph.n > 1000 ? 90 : 150;
  }
  const mean = d3.mean(graph.edges, (edge) => edge.distance) || 30;
  const edges = graph.edges.map(({source, target, distance}) => ({source, target, distance}));
  const simulation = d3.forceSimulation(nodes).stop()
    .randomSource(random)
    .alpha(coarse ? 0.6 : 1)
    .alphaDecay(1 - Math.pow(0.002, 1 / nTicks))
    .velocityDecay(0.35)
    .force("charge", d3.forceManyBody().theta(1.1).strength((_, i) => -graph.push * mean * (graph.sizes[i] + mean)))
    .force("links", d3.forceLink(edges).distance((edge) => edge.distance).iterations(graph.n > 4000 ? 2 : 4))
    .force("x", d3.forceX().strength(0.006))
    .force("y", d3.forceY().strength(0.006));
  if (isFinest && graph.finish) graph.finish(simulation);
  for (let tick = 0; tick < nTicks; tick++) {
    simulation.tick();
    await pause();
  }
  return nodes;
}

/** Of several layouts of a small graph, each from other places at random, the one with fewest crossings. */
async function bestLayout(graph, pause, random) {
  if (graph.n < 4 || graph.n > SMALL_GRAPH || graph.edges.length > 2 * SMALL_GRAPH) return forceLevels(graph, pause, random);
  let best = null, fewest = Infinity;
  for (let attempt = 0; attempt < N_ATTEMPTS && fewest > 0; attempt++) {
    const places = graph.sizes.map(() => ({x: 200 * (random() - 0.5), y: 200 * (random() - 0.5)}));
    const nodes = await forceLevels({...graph, places}, pause, random);
    const crossings = crossingsOf(nodes, graph);
    if (crossings < fewest) [best, fewest] = [nodes, crossings];
  }
  return best;
}

/** Number of pairs of edges that cross, plus three times the number of nodes on edges of other nodes. */
function crossingsOf(nodes, {edges, sizes}) {
  const side = (p, q, r) => Math.sign((q.x - p.x) * (r.y - p.y) - (q.y - p.y) * (r.x - p.x));
  let n = 0;
  edges.forEach(({source, target}, e) => {
    const [p, q] = [nodes[source], nodes[target]];
    for (const other of edges.slice(0, e)) {
      if ([other.source, other.target].some((end) => end === source || end === target)) continue;
      const [r, s] = [nodes[other.source], nodes[other.target]];
      if (side(p, q, r) !== side(p, q, s) && side(r, s, p) !== side(r, s, q)) n++;
    }
    nodes.forEach((node, i) => {
      if (i !== source && i !== target && distanceToLine([p, q], node.x, node.y, false) < sizes[i]) n += 3;
    });
  });
  return n;
}

/** The same graph with neighbours taken together in pairs, and what has one neighbour with that. */
function coarser({n, sizes, edges, push}) {
  const around = Array.from({length: n}, () => []);
  for (const {source, target, distance} of edges) {
    if (source === target) continue;
    around[source].push({other: target, distance});
    around[target].push({other: source, distance});
  }
  const of = new Int32Array(n).fill(-1);
  const coarseSizes = [];
  for (const i of d3.sort(d3.range(n), (i) => around[i].length)) {
    if (of[i] >= 0) continue;
    const free = around[i].filter(({other}) => of[other] < 0 && other !== i);
    const mate = d3.least(free, (a, b) => around[a.other].length - around[b.other].length || a.distance - b.distance);
    if (mate) {
      of[i] = of[mate.other] = coarseSizes.length;
      coarseSizes.push(sizes[i] + sizes[mate.other] + mate.distance);
    } else if (around[i].length === 1) {
      of[i] = of[around[i][0].other];
    } else {
      of[i] = coarseSizes.length;
      coarseSizes.push(sizes[i]);
    }
  }
  const between = new Map();
  for (const {source, target, distance} of edges) {
    const [a, b] = d3.extent([of[source], of[target]]);
    if (a === b) continue;
    const key = a * coarseSizes.length + b;
    if (!between.has(key)) {
      const apart = distance + (coarseSizes[a] + coarseSizes[b] - sizes[source] - sizes[target]) / 2;
      between.set(key, {source: a, target: b, distance: apart});
    }
  }
  return {n: coarseSizes.length, sizes: coarseSizes, edges: [...between.values()], push, of};
}

/** Turn points so that they reach farthest in the longer direction of the window, and have their middle at 0, 0. */
function turned(points, aspect) {
  const [middleX, middleY] = [d3.mean(points, (p) => p.x), d3.mean(points, (p) => p.y)];
  let [xx, xy, yy] = [0, 0, 0];
  for (const p of points) {
    p.x -= middleX;
    p.y -= middleY;
    xx += p.x * p.x;
    xy += p.x * p.y;
    yy += p.y * p.y;
  }
  const angle = (aspect < 1 ? Math.PI / 2 : 0) - 0.5 * Math.atan2(2 * xy, xx - yy);
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  for (const p of points) [p.x, p.y] = [cos * p.x - sin * p.y, sin * p.x + cos * p.y];
}

/**
 * Put boxes into rows, in the order given, so that all of them together have about the shape asked for.
 *
 * @param boxes {width, height}; get left and top
 * @param aspect width of the whole by its height
 */
function packInRows(boxes, aspect, gap) {
  const area = d3.sum(boxes, (box) => (box.width + gap) * (box.height + gap));
  const rowWidth = Math.max(d3.max(boxes, (box) => box.width) || 0, Math.sqrt(area * aspect) * 1.05);
  let [left, top, rowHeight] = [0, 0, 0];
  for (const box of d3.sort(boxes, (a, b) => b.height - a.height || b.width - a.width)) {
    if (left > 0 && left + box.width > rowWidth) {
      top += rowHeight + gap;
      left = rowHeight = 0;
    }
    box.left = left;
    box.top = top;
    left += box.width + gap;
    rowHeight = Math.max(rowHeight, box.height);
  }
}

/** The box around points. */
function boxOf(points, margin) {
  const [x0, x1] = d3.extent(points, (p) => p.x), [y0, y1] = d3.extent(points, (p) => p.y);
  return {x: x0 - margin, y: y0 - margin, width: x1 - x0 + 2 * margin, height: y1 - y0 + 2 * margin};
}

/**
 * Lay out each component by `place`, then all beside each other.
 *
 * @param place async (members, pause, random) -> points {x, y}, all that belong to the component, moved together
 * @param margin around each component
 */
async function layoutComponents(components, place, {aspect, margin, gap, progress}) {
  const slice = timeSlices();
  const boxes = [];
  const total = d3.sum(components, (members) => members.length);
  let nDone = 0;
  for (const members of components) {
    const random = d3.randomLcg(0.618);
    let nSteps = 0;
    const pause = async () => {
      nSteps++;
      progress((nDone + members.length * (1 - 1 / (1 + nSteps / 300))) / total);
      await slice();
    };
    const points = await place(members, pause, random);
    boxes.push({points, ...boxOf(points, margin)});
    nDone += members.length;
    await slice();
  }
  packInRows(boxes, aspect, gap);
  for (const {points, x, y, left, top} of boxes) {
    for (const p of points) {
      p.x += left - x;
      p.y += top - y;
    }
  }
  return boxes.map(({left, top, width, height}) => ({x: left, y: top, width, height}));
}

/** How far a place is from a line through points. */
function distanceToLine(points, x, y, isClosed) {
  let least = Infinity;
  for (let p = isClosed ? 0 : 1; p < points.length; p++) {
    const a = points.at(p - 1), b = points[p];
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const along = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
    least = Math.min(least, Math.hypot(x - a.x - along * dx, y - a.y - along * dy));
  }
  return least;
}
