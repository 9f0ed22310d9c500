/* The page of one graph. */
"use strict";

graphView(document.getElementById("graph"), JSON.parse(document.getElementById("data").textContent), {});
