// SPDX-License-Identifier: GPL-2.0
// What a flame graph does when it is clicked, searched and walked through.
//
// The picture is as wide as its window, and the zoom is in the address, to be kept or sent.
//
// Every frame is a group with what it is in numbers: data-x (events left of it),
// data-w (its events), data-r (its row, 0 at the bottom). All that is drawn comes
// from these; the positions in the file are for viewers without scripts.
"use strict";
var flamegraph = (function () {
	var svg = document.documentElement;
	var left = +svg.getAttribute("data-left");
	var width = +svg.getAttribute("data-width");
	var drawnWidth = +svg.getAttribute("width");
	var height = +svg.getAttribute("height");
	var charWidth = +svg.getAttribute("data-char");
	var details = document.getElementById("details");
	var matched = document.getElementById("matched");
	var resetButton = document.getElementById("reset");
	var frames = [];
	var rows = [];
	var view, current, term = "";

	function read(g) {
		var f = {
			g: g, rect: g.querySelector("rect"), text: g.querySelector("text"),
			title: g.querySelector("title").textContent,
			x: +g.getAttribute("data-x"), w: +g.getAttribute("data-w"),
			r: +g.getAttribute("data-r")
		};
		f.name = f.title.replace(/ \([^()]*\)$/, "");
		g.frame = f;
		frames.push(f);
		(rows[f.r] = rows[f.r] || []).push(f);
	}

	function isAround(outer, inner) {
		return outer.x <= inner.x && outer.x + outer.w >= inner.x + inner.w;
	}

	function percent(part, whole) {
		return (100 * part / whole).toFixed(2) + "%";
	}

	function fit(f, w) {
		var n = Math.floor((w - 6) / charWidth);

		if (!f.text && n < 3)
			return;
		if (!f.text) {
			f.text = document.createElementNS(svg.namespaceURI, "text");
			f.text.setAttribute("y", +f.rect.getAttribute("y") + 13);
			f.g.appendChild(f.text);
		}
		f.text.textContent = n < 3 ? "" :
			f.name.length <= n ? f.name : f.name.slice(0, n - 1) + "\u2026";
	}

	function draw(f) {
		var caller = f.r < view.r && isAround(f, view);
		var inside = f.r >= view.r && isAround(view, f);
		var x = caller ? 0 : (f.x - view.x) / view.w * width;
		var w = caller ? width : f.w / view.w * width;

		f.g.classList.toggle("hidden", !caller && (!inside || w < 0.1));
		f.g.classList.toggle("caller", caller);
		if (!caller && !inside)
			return;
		f.rect.setAttribute("x", left + x);
		f.rect.setAttribute("width", w > 4 ? w - 0.7 : w);
		fit(f, w);
		if (f.text)
			f.text.setAttribute("x", left + x + 3);
	}

	// The frame of an address that address() made; the whole if there is none
	function addressed() {
		var numbers = (/^#zoom=(\d+),(\d+),(\d+)$/.exec(window.location.hash) || []).map(Number);

		return (rows[numbers[3]] || []).filter(function (f) {
			return f.x === numbers[1] && f.w === numbers[2];
		})[0] || rows[0][0];
	}

	function address(f) {
		var hash = f === rows[0][0] ? "" : "#zoom=" + f.x + "," + f.w + "," + f.r;

		// without a history, or within another page, there is no address to be changed
		if (hash !== window.location.hash && window.top === window)
			window.history.replaceState(null, "", window.location.pathname + hash);
	}

	function shorten(text, room) {
		var full = text.full = text.full || text.textContent, n = full.length;

		text.textContent = full;
		while (n > 1 && text.getComputedTextLength() > room)
			text.textContent = full.slice(0, --n) + "\u2026";
	}

	function layout() {
		var all = Math.max(320, window.innerWidth || drawnWidth), narrow = all < 700;

		width = all - 2 * left;
		svg.setAttribute("width", all);
		svg.setAttribute("viewBox", "0 0 " + all + " " + height);
		document.getElementById("right").setAttribute("transform",
			"translate(" + (all - drawnWidth) + ",0)");
		document.getElementById("key").style.display = narrow ? "none" : "";
		resetButton.setAttribute("y", narrow ? 46 : 28);
		resetButton.setAttribute("x", drawnWidth - (narrow ? 130 : 230));
		matched.setAttribute("x", all - left);
		document.querySelectorAll(".head > text[y]").forEach(function (text) {
			if (text !== details && text !== matched)
				shorten(text, width - (text.classList.contains("title") && !narrow ? 230 :
						       narrow ? 130 : 180));
		});
		zoom(view);
	}

	function zoom(f) {
		view = f;
		address(f);
		frames.forEach(draw);
		resetButton.classList.toggle("hidden", f === rows[0][0]);
		if (term)
			search(term);
		return f.w;
	}

	function reset() {
		return zoom(rows[0][0]);
	}

	function pattern(text) {
		try {
			return new RegExp(text, "i");
		} catch (e) {
			return new RegExp(text.replace(/[^\w]/g, "\\$&"), "i");
		}
	}

	// The events of all frames in view whose name matches. A frame inside another one
	// that matches is not added again.
	function search(text) {
		var re = text ? pattern(text) : null, sum = 0, end = -1;

		term = text || "";
		frames.forEach(function (f) {
			f.hit = !!re && f.r > 0 && re.test(f.name);
			f.g.classList.toggle("match", f.hit);
		});
		frames.filter(function (f) {
			return f.hit && (isAround(view, f) || isAround(f, view));
		}).sort(function (a, b) {
			return a.x - b.x || b.w - a.w || a.r - b.r;
		}).forEach(function (f) {
			var from = Math.max(f.x, view.x, end);
			var to = Math.min(f.x + f.w, view.x + view.w);

			if (to > from) {
				sum += to - from;
				end = to;
			}
		});
		matched.textContent = term ? "matched: " + percent(sum, view.w) : "";
		return sum;
	}

	function ask() {
		var text = window.prompt("Search for a name (a regular expression):", term);

		if (text !== null)
			search(text);
	}

	function show(f) {
		details.textContent = f ? f.title : "";
	}

	function select(f) {
		if (!f)
			return;
		if (current)
			current.g.classList.remove("current");
		current = f;
		f.g.classList.add("current");
		show(f);
	}

	function visible(f) {
		return !f.g.classList.contains("hidden");
	}

	// To the widest callee, the caller, or the neighbour of the row
	function move(key) {
		var row, i;

		if (!current)
			return select(view);
		if (key === "ArrowUp")
			return select((rows[current.r + 1] || []).filter(function (f) {
				return visible(f) && isAround(current, f);
			}).sort(function (a, b) { return b.w - a.w; })[0]);
		if (key === "ArrowDown")
			return select((rows[current.r - 1] || []).filter(function (f) {
				return isAround(f, current);
			})[0]);
		row = rows[current.r].filter(visible);
		i = row.indexOf(current) + (key === "ArrowRight" ? 1 : -1);
		return select(row[i]);
	}

	function keydown(e) {
		if (e.key === "/" || ((e.ctrlKey || e.metaKey) && e.key === "f"))
			ask();
		else if (e.key === "Escape")
			search(""), reset();
		else if (e.key === "Enter" && current)
			zoom(current);
		else if (/^Arrow/.test(e.key))
			move(e.key);
		else
			return;
		e.preventDefault();
	}

	function frameOf(e) {
		var g = e.target.closest ? e.target.closest(".frames g") : null;

		return g ? g.frame : null;
	}

	document.querySelectorAll(".frames g").forEach(read);
	rows.forEach(function (row) {
		row.sort(function (a, b) { return a.x - b.x; });
	});
	view = addressed();
	layout();
	window.addEventListener("resize", layout);
	window.addEventListener("hashchange", function () { zoom(addressed()); });
	svg.addEventListener("click", function (e) {
		var f = frameOf(e);

		if (f) {
			select(f);
			zoom(f);
		}
	});
	svg.addEventListener("mouseover", function (e) { show(frameOf(e) || current); });
	window.addEventListener("keydown", keydown);
	resetButton.addEventListener("click", reset);
	document.getElementById("search").addEventListener("click", ask);
	return { frames: frames, zoom: zoom, reset: reset, search: search };
}());
