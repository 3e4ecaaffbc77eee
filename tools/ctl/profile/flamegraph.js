// SPDX-License-Identifier: GPL-2.0
// What flame graphs do when they are clicked, searched and walked through.
//
// A picture is as wide as its window, or its place in a page. View, zoom and search are in the
// address, to be kept or sent.
//
// Every frame is a group with what it is in numbers: data-x (events left of it),
// data-w (its events), data-r (its row, 0 is the whole). All that is drawn comes
// from these; the positions in the file are for viewers without scripts.
"use strict";

// The part of the address after "#": NAME=VALUE&...
var address = {
	read: function () {
		var found = Object.create(null);

		window.location.hash.slice(1).split("&").forEach(function (part) {
			var at = part.indexOf("=");

			try {
				if (at > 0)
					found[part.slice(0, at)] = decodeURIComponent(part.slice(at + 1));
			} catch (e) {
				// not allowed here
			}
		});
		return found;
	},
	// Set @values in the address, without the empty ones
	keep: function (values) {
		var all = address.read(), text;

		Object.keys(values).forEach(function (name) {
			all[name] = values[name];
		});
		text = Object.keys(all).filter(function (name) {
			return all[name];
		}).map(function (name) {
			return name + "=" + encodeURIComponent(all[name]).replace(/%2C/g, ",");
		}).join("&");
		// within another page there is no address to change
		if (text !== window.location.hash.slice(1) && window.top === window)
			window.history.replaceState(null, "", window.location.pathname +
				window.location.search + (text ? "#" + text : ""));
	}
};

// The pattern to search for; a text that is no regular expression is taken literally
function pattern(text) {
	try {
		return new RegExp(text, "i");
	} catch (e) {
		return new RegExp(text.replace(/[^\w]/g, "\\$&"), "i");
	}
}

// @number: the number of the graph in its page, used in names in the address
function flamegraph(svg, number) {
	var alone = svg === document.documentElement;
	var place = alone ? svg : svg.parentNode;
	var left = number_of("left"), top = number_of("top"), bottom = number_of("bottom");
	var rowHeight = number_of("row"), charWidth = number_of("char");
	var drawnWidth = +svg.getAttribute("width");
	var details = part("details"), matched = part("matched"), resetButton = part("reset");
	var prefix = number ? number + "." : "";
	var views = Array.prototype.map.call(svg.querySelectorAll(".frames"), function (g) {
		return { g: g, name: g.getAttribute("data-view"), note: g.querySelector("desc").textContent };
	});
	var width, height, shown, zoomed, current, icicle = false, term = "";
	var chosen = null;	// own events of each frame in the chosen slices; null: all

	function number_of(name) {
		return +svg.getAttribute("data-" + name);
	}

	function part(name) {
		return place.querySelector("." + name);
	}

	function readFrame(g) {
		var f = {
			g: g, rect: g.querySelector("rect"), text: g.querySelector("text"),
			title: g.querySelector("title").textContent,
			x: +g.getAttribute("data-x"), w: +g.getAttribute("data-w"),
			r: +g.getAttribute("data-r")
		};
		f.name = f.title.replace(/ \([^()]*\)$/, "");
		f.all = { x: f.x, w: f.w, title: f.title };
		g.frame = f;
		return f;
	}

	// Read the frames of a view when it is first shown
	function readView(v) {
		v.rows = [];
		v.frames = Array.prototype.map.call(v.g.querySelectorAll("g"), readFrame);
		v.frames.forEach(function (f) {
			(v.rows[f.r] = v.rows[f.r] || []).push(f);
		});
		v.rows.forEach(function (row) {
			row.sort(function (a, b) { return a.x - b.x; });
		});
	}

	// Sum up the frames of a view for the chosen events; callers precede their callees
	function weigh(v) {
		var callers = [];

		v.chosen = chosen;
		v.frames.forEach(function (f) {
			f.caller = callers[f.r - 1];
			callers[f.r] = f;
			f.w = chosen ? chosen(f.g) : f.all.w;
			f.end = 0;
		});
		v.frames.slice().reverse().forEach(function (f) {
			if (chosen && f.caller)
				f.caller.w += f.w;
		});
		v.frames.forEach(function (f) {
			f.x = !chosen ? f.all.x : f.caller ? f.caller.end : 0;
			f.end = f.x;
			if (f.caller)
				f.caller.end = f.x + f.w;
			f.title = !chosen ? f.all.title : f.all.title.replace(/\(\d+ events, [^\d.]*[\d.]+%/,
				"(" + f.w + " events, " + percent(f.w, v.frames[0].w || 1));
			f.g.querySelector("title").textContent = f.title;
		});
		v.rows.forEach(function (row) {
			row.sort(function (a, b) { return a.x - b.x; });
		});
	}

	function isAround(outer, inner) {
		return outer.x <= inner.x && outer.x + outer.w >= inner.x + inner.w;
	}

	function percent(some, whole) {
		return (100 * some / whole).toFixed(2) + "%";
	}

	function fit(f, w) {
		var n = Math.floor((w - 6) / charWidth);

		if (!f.text && n < 3)
			return;
		if (!f.text) {
			f.text = document.createElementNS(svg.namespaceURI, "text");
			f.g.appendChild(f.text);
		}
		f.text.textContent = n < 3 ? "" :
			f.name.length <= n ? f.name : f.name.slice(0, n - 1) + "\u2026";
	}

	function draw(f) {
		var caller = f.r < zoomed.r && isAround(f, zoomed);
		var inside = f.r >= zoomed.r && isAround(zoomed, f);
		var scale = zoomed.w ? width / zoomed.w : 0;
		var x = caller ? 0 : (f.x - zoomed.x) * scale;
		var w = caller ? width : f.w * scale;
		var y = icicle ? top + f.r * rowHeight : height - bottom - (f.r + 1) * rowHeight;

		f.g.classList.toggle("hidden", !caller && (!inside || w < 0.1));
		f.g.classList.toggle("caller", caller);
		if (!caller && !inside)
			return;
		f.rect.setAttribute("x", left + x);
		f.rect.setAttribute("y", y);
		f.rect.setAttribute("width", w > 4 ? w - 0.7 : w);
		fit(f, w);
		if (f.text) {
			f.text.setAttribute("x", left + x + 3);
			f.text.setAttribute("y", y + 13);
		}
	}

	function whole() {
		return shown.rows[0][0];
	}

	// The beginning of @full that fits into @room
	function shorten(text, full, room) {
		var n = full.length;

		text.textContent = full;
		while (n > 1 && text.getComputedTextLength() > room)
			text.textContent = full.slice(0, --n) + "\u2026";
	}

	// Lay out the head of a separate file for this width
	function layoutHead(all) {
		var narrow = all < 700;

		part("right").setAttribute("transform", "translate(" + (all - drawnWidth) + ",0)");
		part("key").style.display = narrow ? "none" : "";
		resetButton.setAttribute("y", narrow ? 46 : 28);
		resetButton.setAttribute("x", drawnWidth - (narrow ? 130 : 230));
		svg.querySelectorAll(".head .line, .head .title").forEach(function (text) {
			text.full = text.full || text.textContent;
			shorten(text, text.full, width - (narrow ? 130 :
				text.classList.contains("title") ? 230 : 180));
		});
	}

	function layout() {
		var all = alone ? window.innerWidth : place.clientWidth;

		all = Math.max(320, all || drawnWidth);
		width = all - 2 * left;
		height = top + bottom + shown.rows.length * rowHeight;
		svg.setAttribute("width", all);
		svg.setAttribute("height", height);
		svg.setAttribute("viewBox", "0 0 " + all + " " + height);
		details.setAttribute("y", height - 14);
		matched.setAttribute("y", height - 14);
		matched.setAttribute("x", all - left);
		if (alone)
			layoutHead(all);
		zoom(zoomed);
		show(current);
	}

	function keep() {
		var values = {};

		values[prefix + "view"] = shown === views[0] ? "" : shown.name;
		values[prefix + "icicle"] = icicle ? "1" : "";
		values[prefix + "zoom"] = zoomed === whole() ? "" : [zoomed.all.x, zoomed.all.w, zoomed.r].join();
		values.search = term;
		address.keep(values);
	}

	function zoom(f) {
		zoomed = f;
		shown.frames.forEach(draw);
		resetButton.classList.toggle("hidden", f === whole());
		search(term);
		return f.w;
	}

	function reset() {
		return zoom(whole());
	}

	// Show the view @name, or the first one; @up: also scroll to the whole
	function view(name, up) {
		shown = views.filter(function (v) { return v.name === name; })[0] || views[0];
		icicle = up;
		if (!shown.frames)
			readView(shown);
		if ((shown.chosen || null) !== chosen)
			weigh(shown);
		views.forEach(function (v) {
			var button = part("show-" + v.name);

			if (v === shown)
				v.g.removeAttribute("display");
			else
				v.g.setAttribute("display", "none");
			button.classList.toggle("on", v === shown);
		});
		part("icicle").classList.toggle("on", icicle);
		zoomed = whole();
		layout();
		mark(null);
	}

	// Show only some events: @of(frame) returns a frame's own; null: show all
	function only(of) {
		var last = zoomed, same = shown;

		chosen = of;
		view(shown.name, icicle);
		if (shown === same && last.w)
			zoom(last);
	}

	// Do what the address says
	function follow() {
		var found = address.read(), numbers = (found[prefix + "zoom"] || "").split(",").map(Number);

		term = found.search || "";
		view(found[prefix + "view"], !!found[prefix + "icicle"]);
		(shown.rows[numbers[2]] || []).forEach(function (f) {
			if (f.all.x === numbers[0] && f.all.w === numbers[1])
				zoom(f);
		});
	}

	// The events of all visible frames whose name matches. A matching frame inside another is
	// not counted again.
	function search(text) {
		var re = text ? pattern(text) : null, sum = 0, end = -1;

		term = text || "";
		shown.frames.forEach(function (f) {
			f.hit = !!re && f.r > 0 && re.test(f.name);
			f.g.classList.toggle("match", f.hit);
		});
		shown.frames.filter(function (f) {
			return f.hit && (isAround(zoomed, f) || isAround(f, zoomed));
		}).sort(function (a, b) {
			return a.x - b.x || b.w - a.w || a.r - b.r;
		}).forEach(function (f) {
			var from = Math.max(f.x, zoomed.x, end);
			var to = Math.min(f.x + f.w, zoomed.x + zoomed.w);

			if (to > from) {
				sum += to - from;
				end = to;
			}
		});
		matched.textContent = term ? "matched: " + percent(sum, zoomed.w) : "";
		keep();
		return sum;
	}

	function ask() {
		var text = window.prompt("Search for a name (a regular expression):", term);

		if (text !== null)
			search(text);
	}

	function show(f) {
		shorten(details, f ? f.title : shown.note, width - (term ? 130 : 0));
	}

	function mark(f) {
		if (current)
			current.g.classList.remove("current");
		current = f;
		if (f)
			f.g.classList.add("current");
		show(f);
	}

	function select(f) {
		if (f)
			mark(f);
	}

	function visible(f) {
		return !f.g.classList.contains("hidden");
	}

	// Move the focus: up or down to the caller or the widest callee, or to the neighbour
	function move(key) {
		var up = key === "ArrowUp", row, i;

		if (!current)
			return select(zoomed);
		if (up !== icicle && (up || key === "ArrowDown"))
			return select((shown.rows[current.r + 1] || []).filter(function (f) {
				return visible(f) && isAround(current, f);
			}).sort(function (a, b) { return b.w - a.w; })[0]);
		if (up || key === "ArrowDown")
			return select((shown.rows[current.r - 1] || []).filter(function (f) {
				return isAround(f, current);
			})[0]);
		row = shown.rows[current.r].filter(visible);
		i = row.indexOf(current) + (key === "ArrowRight" ? 1 : -1);
		return select(row[i]);
	}

	function keydown(e) {
		if (alone && (e.key === "/" || ((e.ctrlKey || e.metaKey) && e.key === "f"))) {
			ask();
		} else if (e.ctrlKey || e.metaKey || e.altKey) {
			return;
		} else if (e.key === "Escape") {
			if (alone)
				search("");
			reset();
		} else if (e.key === "Enter" && current) {
			zoom(current);
		} else if (e.key === "v") {
			view(views[(views.indexOf(shown) + 1) % views.length].name, icicle);
		} else if (e.key === "i") {
			view(shown.name, !icicle);
		} else if (/^Arrow/.test(e.key)) {
			move(e.key);
		} else {
			return;
		}
		e.preventDefault();
	}

	function frameOf(e) {
		var g = e.target.closest ? e.target.closest(".frames g") : null;

		return g ? g.frame : null;
	}

	views.forEach(function (v) {
		part("show-" + v.name).addEventListener("click", function () { view(v.name, icicle); });
	});
	part("icicle").addEventListener("click", function () { view(shown.name, !icicle); });
	resetButton.addEventListener("click", reset);
	follow();
	window.addEventListener("resize", layout);
	window.addEventListener("hashchange", follow);
	svg.addEventListener("click", function (e) {
		var f = frameOf(e);

		if (f) {
			select(f);
			zoom(f);
		}
	});
	svg.addEventListener("mouseover", function (e) { show(frameOf(e) || current); });
	// a page has a search field, and its keys go to the graph that was clicked
	if (alone)
		part("search").addEventListener("click", ask);
	else
		svg.setAttribute("tabindex", "0");
	(alone ? window : svg).addEventListener("keydown", keydown);
	return {
		frames: function () { return shown.frames; },
		zoom: zoom, reset: reset, search: search, view: view, only: only
	};
}

var flamegraphs = Array.prototype.map.call(document.querySelectorAll("svg.flamegraph"), flamegraph);
