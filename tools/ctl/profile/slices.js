// SPDX-License-Identifier: GPL-2.0
// A part of the time, chosen in the timeline of a page: functions and flame graphs are of it alone.
//
// Each frame, row and event has the sums of slices of time: data-p, a number of a slice and what it
// has. The part is in the address, as report --time takes it.
"use strict";
var part = (function () {
	var section = document.getElementById("timeline");
	var svg = section.querySelector("svg.timeline");
	var slice = +section.getAttribute("data-slice"), end = +svg.getAttribute("data-end");
	var form = section.querySelector(".part"), said = document.querySelector(".chosen");
	var inputs = form.querySelectorAll("input"), plots = svg.querySelectorAll(".plot");
	var table = functions.body.parentNode, begin = null, from, to;
	var chains = functions.heads.some(function (th) { return th.classList.contains("total"); });
	// the attributes of the events that are shown
	var events = table.getAttributeNames().filter(function (name) {
		return /^data-p/.test(name);
	});
	var rows = functions.rows.slice();

	// The sums of the chosen slices; each slice has @nr
	function sums(element, name, nr) {
		var numbers = (element.getAttribute(name) || "").split(" ").map(Number);
		var found = [0, 0, 0], i, k;

		for (i = 0; i + nr < numbers.length; i += 1 + nr) {
			for (k = 0; numbers[i] >= from && numbers[i] < to && k < nr; k++)
				found[k] += numbers[i + 1 + k];
		}
		return found;
	}

	function put(cell, value, text) {
		cell.setAttribute("data-v", value);
		cell.textContent = text;
	}

	function put_share(cell, some, whole) {
		var share = (whole ? 100 * some / whole : 0).toFixed(2) + "%";

		put(cell, some, share);
		if (cell.classList.contains("share"))
			cell.style.setProperty("--share", share);
		return whole ? some / whole : 0;
	}

	function numbers_of(row) {
		return Array.prototype.filter.call(row.tr.cells, function (cell) {
			return cell.classList.contains("number");
		});
	}

	function keep_row(row) {
		row.kept = row.kept || numbers_of(row).map(function (cell) {
			return { text: cell.textContent, value: cell.getAttribute("data-v"),
				share: cell.style.getPropertyValue("--share") };
		});
	}

	function restore_row(row) {
		numbers_of(row).forEach(function (cell, i) {
			put(cell, row.kept[i].value, row.kept[i].text);
			if (row.kept[i].share)
				cell.style.setProperty("--share", row.kept[i].share);
		});
		row.there = true;
	}

	function fill_row(row, wholes) {
		var cells = numbers_of(row);

		row.order = [0];
		row.there = false;
		events.forEach(function (name, i) {
			var found = sums(row.tr, name, 3);

			row.order[0] = Math.max(row.order[0], put_share(cells.shift(), found[0], wholes[i]));
			if (chains)
				put_share(cells.shift(), found[1], wholes[i]);
			put(cells.shift(), found[2], found[2]);
			row.order.push(found[1]);
			row.there = row.there || found[1] > 0;
		});
		// a metric can't be computed here, without its formula
		cells.forEach(function (cell) { put(cell, -1, "-"); });
	}

	// Sort as the tool does: by shares, then by name
	function by_share(a, b) {
		var x = a.text.replace(/^\[k\] /, ""), y = b.text.replace(/^\[k\] /, ""), i;

		for (i = 0; i < a.order.length; i++) {
			if (a.order[i] !== b.order[i])
				return b.order[i] - a.order[i];
		}
		return x < y ? -1 : x > y ? 1 : 0;
	}

	function fill_table() {
		var wholes, order = rows.slice();

		rows.forEach(keep_row);
		if (from === undefined) {
			rows.forEach(restore_row);
		} else {
			wholes = events.map(function (name) { return sums(table, name, 1)[0]; });
			rows.forEach(function (row) { fill_row(row, wholes); });
			order.sort(by_share);
		}
		functions.heads.forEach(function (th) { th.removeAttribute("aria-sort"); });
		order.forEach(function (row, i) {
			functions.rows[i] = row;
			functions.body.appendChild(row.tr);
		});
		functions.show();
	}

	function seconds(number) {
		return String(+(number * slice / 1e9).toFixed(6));
	}

	// Mark slices in all plots; without arguments none
	function mark(first, last) {
		var scale = 100 * slice / end, left = scale * (first || 0);

		plots.forEach(function (plot) {
			var rect = plot.querySelector(".selection");

			if (!rect) {
				rect = document.createElementNS(svg.namespaceURI, "rect");
				rect.setAttribute("class", "selection");
				rect.setAttribute("height", plot.getAttribute("height"));
				plot.appendChild(rect);
			}
			rect.setAttribute("x", left + "%");
			rect.setAttribute("width", Math.max(0, Math.min(100, scale * (last || 0)) - left) + "%");
			rect.style.display = last > first ? "" : "none";
		});
	}

	function say() {
		var some = from !== undefined, button;

		said.hidden = !some;
		said.textContent = some ? "only " + seconds(from) + " s to " + seconds(to) +
			" s (report --time " + seconds(from) + "," + seconds(to) +
			"); metrics are of the whole time " : "";
		inputs[0].value = some ? seconds(from) : "";
		inputs[1].value = some ? seconds(to) : "";
		if (!some)
			return;
		button = document.createElement("button");
		button.type = "button";
		button.textContent = "whole time";
		button.addEventListener("click", whole);
		said.appendChild(button);
	}

	function show() {
		mark(from, to);
		say();
		fill_table();
		flamegraphs.forEach(function (graph) {
			graph.only(from === undefined ? null : function (g) { return sums(g, "data-p", 1)[0]; });
		});
		address.keep({ time: from === undefined ? "" : seconds(from) + "," + seconds(to) });
	}

	function whole() {
		if (from === undefined)
			return;
		from = to = undefined;
		show();
	}

	// The slices that contain these seconds
	function slices(a, b) {
		var least = Math.max(0, Math.min(a, b)), most = Math.max(0, Math.max(a, b));

		// tolerate rounding errors of floating point sums
		return [Math.floor(least * 1e9 / slice + 1e-6), Math.ceil(most * 1e9 / slice - 1e-6)];
	}

	function choose(a, b) {
		var chosen = slices(a, b);

		if (!(a < b || b < a) || !(chosen[1] > chosen[0]))
			return;
		from = chosen[0];
		to = chosen[1];
		show();
	}

	// Do what the address says
	function follow() {
		var found = /^([\d.]+),([\d.]+)$/.exec(address.read().time || "");

		if (found)
			choose(+found[1], +found[2]);
		else
			whole();
	}

	// The time under the pointer in seconds; null: outside of the plots
	function at(e, clip) {
		var left = svg.getBoundingClientRect().left + +plots[0].getAttribute("x");
		var share = (e.clientX - left) / +plots[0].getAttribute("width");

		if (!clip && (share < 0 || share > 1))
			return null;
		return Math.min(1, Math.max(0, share)) * end / 1e9;
	}

	svg.addEventListener("pointerdown", function (e) {
		begin = e.button ? null : at(e, false);
		if (begin === null)
			return;
		e.preventDefault();
		if (e.isTrusted)
			svg.setPointerCapture(e.pointerId);
	});
	svg.addEventListener("pointermove", function (e) {
		var chosen;

		if (begin === null)
			return;
		chosen = slices(begin, at(e, true));
		mark(chosen[0], chosen[1]);
	});
	svg.addEventListener("pointerup", function (e) {
		var last = begin === null ? null : at(e, true), first = begin;

		begin = null;
		if (last === null)
			return;
		// a click without movement selects nothing
		if (Math.abs(last - first) * 1e9 / end * +plots[0].getAttribute("width") < 3)
			mark(from, to);
		else
			choose(first, last);
	});
	svg.addEventListener("pointercancel", function () {
		begin = null;
		mark(from, to);
	});
	inputs.forEach(function (input) {
		input.addEventListener("change", function () {
			if (inputs[0].value && inputs[1].value)
				choose(+inputs[0].value, +inputs[1].value);
		});
	});
	form.querySelector("button").addEventListener("click", whole);
	window.addEventListener("hashchange", follow);
	follow();
	return { choose: choose, whole: whole };
}());
