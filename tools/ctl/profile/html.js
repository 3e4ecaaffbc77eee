// SPDX-License-Identifier: GPL-2.0
// What the page of a report does: the table is sorted and searched, the search goes to the flame
// graphs too, and is in the address (flamegraph.js).
"use strict";
var functions = (function () {
	var FIRST = 30;		// rows that are shown without a search
	var input = document.querySelector("input[type=search]");
	var body = document.querySelector(".rows");
	var heads = Array.prototype.slice.call(document.querySelectorAll(".heads tr:last-child th"));
	var more = document.querySelector(".more");
	var rows = Array.prototype.map.call(body.rows, function (tr) {
		return { tr: tr, there: true, text: Array.prototype.filter.call(tr.cells, function (cell) {
			return !cell.classList.contains("number");
		}).map(function (cell) { return cell.textContent; }).join(" ") };
	});
	var all = false;

	function say(shown, found) {
		var button;

		more.textContent = shown < found || input.value ?
			shown + " of " + rows.length + " rows " : "";
		if (shown === found)
			return;
		button = document.createElement("button");
		button.textContent = "show all " + found;
		button.addEventListener("click", function () {
			all = true;
			show();
		});
		more.appendChild(button);
	}

	// Show the rows that match the search, at first only some of them
	function show() {
		var re = pattern(input.value), found = 0, shown = 0;

		rows.forEach(function (row) {
			var hit = row.there && re.test(row.text);

			found += hit;
			hit = hit && (all || shown < FIRST);
			shown += hit;
			row.tr.classList.toggle("hidden", !hit);
		});
		say(shown, found);
	}

	function search(text) {
		input.value = text;
		show();
		flamegraphs.forEach(function (graph) { graph.search(text); });
		address.keep({ search: text });
	}

	function value(row, column) {
		var v = row.tr.cells[column].getAttribute("data-v");

		return v === null ? row.tr.cells[column].textContent : +v;
	}

	function sort(column) {
		var down = heads[column].getAttribute("aria-sort") === "descending" ||
			(!heads[column].hasAttribute("aria-sort") && !heads[column].classList.contains("number"));

		heads.forEach(function (th) { th.removeAttribute("aria-sort"); });
		heads[column].setAttribute("aria-sort", down ? "ascending" : "descending");
		rows.sort(function (a, b) {
			var x = value(a, column), y = value(b, column);

			return (x < y ? -1 : x > y ? 1 : 0) * (down ? 1 : -1);
		});
		rows.forEach(function (row) { body.appendChild(row.tr); });
		show();
	}

	heads.forEach(function (th, column) {
		th.querySelector("button").addEventListener("click", function () { sort(column); });
	});
	input.addEventListener("input", function () { search(input.value); });
	document.addEventListener("keydown", function (e) {
		if (e.key !== "/" || e.target === input)
			return;
		e.preventDefault();
		input.focus();
	});
	window.addEventListener("hashchange", function () {
		input.value = address.read().search || "";
		show();
	});
	// links to sections must keep the graphs' state in the address
	document.querySelectorAll("nav a").forEach(function (a) {
		a.addEventListener("click", function (e) {
			e.preventDefault();
			document.querySelector(a.getAttribute("href")).scrollIntoView();
		});
	});
	search(address.read().search || "");
	return { sort: sort, search: search, rows: rows, body: body, heads: heads, show: show };
}());
