// SPDX-License-Identifier: GPL-2.0
// Timelines are as wide as their window, or their place in a page: all positions in a plot are
// percentages.
"use strict";
(function () {
	function layout() {
		document.querySelectorAll("svg.timeline").forEach(function (svg) {
			var room = svg === document.documentElement ? window.innerWidth :
				svg.parentNode.clientWidth;
			var all = Math.max(320, room || +svg.getAttribute("width"));

			svg.setAttribute("width", all);
			svg.querySelectorAll(".plot").forEach(function (plot) {
				plot.setAttribute("width", all - svg.getAttribute("data-margins"));
			});
		});
	}

	layout();
	window.addEventListener("resize", layout);
}());
