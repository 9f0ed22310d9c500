function graphView(container, graph, options) { "use strict"; }
