/* What a graph holds, whatever its kind: things (unitigs or vertices), links between them, components, names to find. */
"use strict";

const GRAPH_START = 0, GRAPH_END = 1; // the ends of a unitig

/**
 * Read the data of a graph.
 *
 * @param graph of kind "unitigs" or "vertices", as pages/graph_data.py says
 * @returns {kind, n, names, links, rings, component, components, touching, find, hasDepth, data}
 *   links: {source, target, leaves, enters} for unitigs (at which ends), {source, target, edge} for vertices
 *   rings: whether a unitig is drawn as a circle; component: number for each thing, by falling size;
 *   components: members of each; touching: numbers of the links of each thing
 */
function graphModel(graph) {
  const n = graph.names.length;
  const isUnitigs = graph.kind === "unitigs";
  const links = isUnitigs ? unitigLinks(graph) : graph.tails.map((source, edge) => ({source, target: graph.heads[edge], edge}));
  const touching = Array.from({length: n}, () => []);
  links.forEach((link, i) => {
    touching[link.source].push(i);
    if (link.target !== link.source) touching[link.target].push(i);
  });
  const isRound = (link) => link.source === link.target && link.leaves !== link.enters;
  const rings = graph.names.map((_, i) => isUnitigs && touching[i].length > 0 && touching[i].every((l) => isRound(links[l])));
  const {component, components} = componentsOf(n, links, isUnitigs ? graph.lengths : null);
  const lowered = graph.names.map((name) => name.toLowerCase());
  return {
    kind: graph.kind, data: graph, names: graph.names, n, links, touching, rings, component, components,
    hasDepth: isUnitigs && graph.depths.some((depth) => depth > 0),
    find: (text) => namesWith(lowered, text),
  };
}

/** Links by the ends of unitigs that they join; a circle has one from its end to its start, once. */
function unitigLinks(graph) {
  const links = [];
  const closed = new Set();
  const add = (source, leaves, target, enters) => {
    if (source === target && leaves !== enters) {
      if (closed.has(source)) return;
      closed.add(source);
    }
    links.push({source, target, leaves, enters});
  };
  for (const [source, strand, target, otherStrand] of graph.links) {
    add(source, strand ? GRAPH_START : GRAPH_END, target, otherStrand ? GRAPH_END : GRAPH_START);
  }
  graph.circular.forEach((circular, i) => circular && add(i, GRAPH_END, i, GRAPH_START));
  return links;
}

/** Connected components, those with most first (most bases, if lengths are given), and the number of each thing's. */
function componentsOf(n, links, lengths) {
  const parent = Int32Array.from({length: n}, (_, i) => i);
  const root = (i) => {
    while (parent[i] !== i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const {source, target} of links) {
    const [a, b] = [root(source), root(target)];
    parent[Math.max(a, b)] = Math.min(a, b);
  }
  const byRoot = new Map();
  for (let i = 0; i < n; i++) {
    const at = root(i);
    if (!byRoot.has(at)) byRoot.set(at, []);
    byRoot.get(at).push(i);
  }
  const weight = (members) => lengths ? d3.sum(members, (i) => lengths[i]) : members.length;
  const components = d3.sort(byRoot.values(), (a, b) => weight(b) - weight(a) || a[0] - b[0]);
  const component = new Int32Array(n);
  components.forEach((members, number) => members.forEach((i) => { component[i] = number; }));
  return {component, components};
}

/** Numbers of the names that hold a text in any case: first those that are it, then those that begin with it. */
function namesWith(lowered, text) {
  const wanted = text.toLowerCase();
  const found = [[], [], []];
  if (wanted === "") return [];
  lowered.forEach((name, i) => {
    const at = name.indexOf(wanted);
    if (at >= 0) found[name === wanted ? 0 : at === 0 ? 1 : 2].push(i);
  });
  return found.flat();
}
