(function () {
  "use strict";
  var SVG = "http://www.w3.org/2000/svg";

  function each(selector, action, root) {
    [].slice.call((root || document).querySelectorAll(selector)).forEach(action);
  }

  function button(text, action) {
    var made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", action);
    return made;
  }

  function svgElement(name, attributes, parent) {
    var made = document.createElementNS(SVG, name);
    Object.keys(attributes).forEach(function (key) { made.setAttribute(key, attributes[key]); });
    return parent.appendChild(made);
  }

  // Contents and folds.

  if (window.matchMedia("(max-width: 63.99rem)").matches) {
    each("nav details", function (details) { details.open = false; });
  }

  function reveal() {
    var target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    for (var e = target; e; e = e.parentElement) {
      if (e.tagName === "DETAILS") { e.open = true; }
    }
    if (target) { target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", reveal);
  if (location.hash) { reveal(); }

  // Copies of commands.

  function copyable(copy) {
    copy.hidden = false;
    var title = copy.textContent;
    function copied() {
      copy.textContent = "Copied";
      setTimeout(function () { copy.textContent = title; }, 1500);
    }
    copy.addEventListener("click", function () {
      var text = copy.dataset.copy || copy.parentNode.querySelector("code").textContent;
      function select() {
        var area = document.body.appendChild(document.createElement("textarea"));
        area.value = text;
        area.select();
        if (document.execCommand("copy")) { copied(); }
        area.remove();
      }
      if (navigator.clipboard) {
        navigator.clipboard.writeText(text).then(copied, select);
      } else {
        select();
      }
    });
  }
  each(".copy", copyable);

  // Search and filter: of claims, or of the rows of the table of results.

  var find = document.getElementById("find");
  var filter = document.querySelector(".filter");
  var shows = {
    all: "*", missed: ".missed", untold: ".cant-tell", unmeasured: ".not-measured, .not-comparable"
  };
  // Hides the rows without one of the words, and returns the number of the others.
  function narrow(rows, text, kinds) {
    var words = text.toLowerCase().split(/\s+/);
    rows.forEach(function (row) {
      var own = row.textContent.toLowerCase();
      row.hidden = (kinds && !row.matches(kinds)) || !words.every(function (word) { return own.indexOf(word) >= 0; });
    });
    return rows.filter(function (row) { return !row.hidden; }).length;
  }
  function parts(row, facet) {
    var text = row.dataset[facet.dataset.facet];
    return facet.dataset.facet === "paper" ? text.split(", ") : [text];
  }
  function search() {
    var rows = [].slice.call(document.querySelectorAll("tr.claim, #results tbody tr"));
    var show = document.documentElement.dataset.filter || "all";
    narrow(rows, find.value, shows[show]);
    var count, some = find.value !== "" || show !== "all";
    each("[data-facet]", function (facet) {
      rows.forEach(function (row) {
        row.hidden = row.hidden || (facet.value !== "" && parts(row, facet).indexOf(facet.value) < 0);
      });
      some = some || facet.value !== "";
    });
    count = rows.filter(function (row) { return !row.hidden; }).length;
    each(".claims, table.rows, .fold", function (list) {
      list.classList.toggle("empty", !list.querySelector("tr.claim:not([hidden])"));
    });
    each(".fold", function (fold) { fold.open = some; });
    document.getElementById("shown").textContent = some ? count + " of " + rows.length : "";
  }
  if (find) { find.addEventListener("input", search); }
  each("[data-facet]", function (facet) {
    var values = {};
    each("#results tbody tr", function (row) {
      parts(row, facet).forEach(function (one) { if (one) { values[one] = true; } });
    });
    [""].concat(Object.keys(values).sort()).forEach(function (one) {
      facet.appendChild(new Option(one || "all", one));
    });
    facet.parentNode.hidden = Object.keys(values).length < 2;
    facet.addEventListener("change", search);
  });
  if (filter) {
    filter.hidden = false;
    filter.addEventListener("click", function (event) {
      if (!event.target.dataset.show) { return; }
      document.documentElement.dataset.filter = event.target.dataset.show;
      each("button", function (one) { one.setAttribute("aria-pressed", String(one === event.target)); }, filter);
      search();
    });
  }

  // Sorted tables.

  function value(row, header) {
    var cell = row.cells[header.cellIndex];
    var text = "value" in cell.dataset ? cell.dataset.value : cell.textContent.trim();
    var number = parseFloat(text.replace(/,/g, "").replace("−", "-"));
    return header.classList.contains("number") ? (isNaN(number) ? -Infinity : number) : text;
  }
  function sortable(table) {
    var rows = [].slice.call(table.tBodies[0].rows);
    if (rows.length > 12 && table.id !== "results") {
      var box = document.createElement("input");
      box.type = "search";
      box.placeholder = "search the table";
      box.setAttribute("aria-label", box.placeholder);
      box.addEventListener("input", function () { narrow(rows, box.value); });
      table.parentNode.insertBefore(box, table);
    }
    each("thead th:not(.fixed)", function (header) {
      var numbers = rows.filter(function (row) {
        var cell = row.cells[header.cellIndex];
        return /^[-−]?[\d.,]+(?!\S)/.test("value" in cell.dataset ? cell.dataset.value : cell.textContent.trim());
      });
      header.classList.toggle("number", numbers.length > rows.length / 2);
      var sort = button("", function () {
        var up = header.getAttribute("aria-sort") === "descending" ? 1 : -1;
        each("th", function (other) { other.removeAttribute("aria-sort"); }, table.tHead);
        header.setAttribute("aria-sort", up > 0 ? "ascending" : "descending");
        rows.sort(function (a, b) {
          var left = value(a, header), right = value(b, header);
          return up * (left < right ? -1 : left > right ? 1 : 0);
        });
        rows.forEach(function (row) { table.tBodies[0].appendChild(row); });
      });
      while (header.firstChild) { sort.appendChild(header.firstChild); }
      header.appendChild(sort);
    }, table);
  }
  each("table.sorted", sortable);

  // Figures: values at the pointer and by arrow keys, series by the legend, zoom by dragging.

  var tip = document.body.appendChild(document.createElement("div"));
  tip.className = "tip";
  tip.setAttribute("role", "status");
  tip.hidden = true;

  function axis(text) {
    var parts = text.split(" ");
    return text ? { low: +parts[0], high: +parts[1], log: parts[2] === "log" } : null;
  }
  function place(on, at) {
    return on.log ? (at > 0 ? Math.log(at / on.low) / Math.log(on.high / on.low) : -99) : (at - on.low) / (on.high - on.low);
  }
  function valueAt(on, share) {
    return on.log ? on.low * Math.pow(on.high / on.low, share) : on.low + share * (on.high - on.low);
  }
  function ticks(on, count) {
    var made = [], decades = on.log ? Math.log10(on.high / on.low) : 0;
    if (decades >= 1) {
      for (var power = Math.floor(Math.log10(on.low)); power <= Math.log10(on.high); power++) {
        (decades <= 2 ? [1, 2, 5] : decades <= 4 ? [1, 3] : [1]).forEach(function (digit) {
          made.push(digit * Math.pow(10, power));
        });
      }
    } else {
      var size = Math.pow(10, Math.floor(Math.log10((on.high - on.low) / count)));
      var step = [1, 2, 5, 10].filter(function (f) { return (on.high - on.low) / (f * size) <= count; })[0] * size;
      for (var i = Math.ceil(on.low / step); i * step <= on.high; i++) { made.push(i * step); }
    }
    return made.filter(function (at) { return at >= on.low && at <= on.high; });
  }
  function label(number) { return Number(number.toPrecision(6)).toLocaleString("en", { maximumFractionDigits: 6 }); }

  function panelOf(element) {
    var box = element.dataset.box.split(" ").map(Number);
    var x = axis(element.dataset.x), y = axis(element.dataset.y);
    return {
      element: element, left: box[0], top: box[1], width: box[2], height: box[3], x: x, y: y,
      yAt: function (at) { return valueAt(y, 1 - (at - box[1]) / box[3]); },
      xAt: function (at) { return x ? valueAt(x, (at - box[0]) / box[2]) : at; }
    };
  }

  // Moves a panel's data to other axes, null for its own, and draws their ticks.
  function show(panel, x, y, id) {
    var element = panel.element, moved = Boolean(x || y);
    var onX = x || panel.x, onY = y || panel.y;
    function px(at) { return onX ? panel.left + panel.width * place(onX, panel.xAt(at)) : at; }
    function py(at) {
      return panel.top + panel.height * (1 - Math.max(-99, Math.min(99, place(onY, panel.yAt(at)))));
    }
    each(".clip, .moved", function (old) { old.remove(); }, element);
    if (moved) {
      var clip = svgElement("clipPath", { id: id, "class": "clip" }, element);
      svgElement("rect", { x: panel.left, y: panel.top, width: panel.width, height: panel.height }, clip);
    }
    each(".data", function (group) {
      if (moved) { group.setAttribute("clip-path", "url(#" + id + ")"); } else { group.removeAttribute("clip-path"); }
      each("path, text", function (shape) {
        if (!shape.home) {
          var mark = /^translate\((\S+) (\S+)\)$/.exec(shape.getAttribute("transform") || "");
          shape.home = mark ? { x: +mark[1], y: +mark[2] } : shape.tagName === "text"
            ? { x: +shape.getAttribute("x"), y: null } : { d: shape.getAttribute("d") };
        }
        if (shape.home.d) {
          shape.setAttribute("d", shape.home.d.replace(/(-?[\d.]+) (-?[\d.]+)/g, function (all, a, b) {
            return px(+a).toFixed(2) + " " + py(+b).toFixed(2);
          }));
        } else if (shape.home.y === null) {
          shape.setAttribute("x", px(shape.home.x));
        } else {
          shape.setAttribute("transform", "translate(" + px(shape.home.x) + " " + py(shape.home.y) + ")");
        }
      }, group);
    }, element);
    each(".gy, .ty, .gx, .tx", function (group) {
      group.style.display = (/y$/.test(group.getAttribute("class")) ? y : x) ? "none" : "";
    }, element);
    function drawn(on, vertical) {
      var grid = document.createElementNS(SVG, "g");
      grid.setAttribute("class", "moved");
      element.insertBefore(grid, element.firstChild);
      var labelled = element.querySelector(vertical ? ".ty" : ".tx");
      ticks(on, (vertical ? panel.height : panel.width / 2) / 38).forEach(function (at) {
        var share = place(on, at);
        var cx = vertical ? panel.left - 6 : panel.left + share * panel.width;
        var cy = vertical ? panel.top + (1 - share) * panel.height : panel.top + panel.height;
        svgElement("path", {
          d: vertical ? "M" + panel.left + " " + cy + "h" + panel.width : "M" + cx + " " + cy + "v" + -panel.height,
          stroke: "#e2e2e2", "stroke-width": 0.8
        }, grid);
        if (labelled) {
          svgElement("text", {
            x: cx, y: vertical ? cy + 4.5 : cy + 18, "text-anchor": vertical ? "end" : "middle",
            "font-size": 12.5, fill: "#222222"
          }, grid).textContent = label(at);
        }
      });
    }
    if (y) { drawn(y, true); }
    if (x && panel.x) { drawn(x, false); }
  }

  function interact(card, number) {
    var svgs = [].slice.call(card.querySelectorAll("svg.plot"));
    if (svgs.length === 0) { return; }
    // The content of an image has no parts for assistive technology.
    svgs.forEach(function (svg) { svg.setAttribute("role", "group"); });
    var panels = svgs.map(function (svg) { return [].slice.call(svg.querySelectorAll(".panel")).map(panelOf); });
    var own = panels[0][0];
    var view = { x: null, y: null };
    var current = -1;
    each(".p", function (point) {
      point.hint = point.firstChild.textContent;
      point.textContent = "";
    }, card);

    function visible() {
      for (var i = 0; i < svgs.length - 1 && svgs[i].clientWidth === 0; i++) { }
      return i;
    }
    function points(svg) {
      return [].slice.call(svg.querySelectorAll(".p")).filter(function (point) {
        return point.parentNode.style.display !== "none";
      });
    }
    function hide() {
      tip.hidden = true;
      each(".ring", function (ring) { ring.remove(); }, card);
    }
    function point(svg, chosenPoint) {
      hide();
      var box = chosenPoint.getBoundingClientRect(), frame = svg.getBoundingClientRect();
      var scale = svg.viewBox.baseVal.width / frame.width;
      var mark = chosenPoint.hasAttribute("transform");
      svgElement("circle", {
        "class": "ring", r: 8, stroke: "#222222", "stroke-width": 1.5,
        cx: (box.left + box.width / 2 - frame.left) * scale,
        cy: ((mark ? box.top + box.height / 2 : box.top) - frame.top) * scale
      }, svg);
      tip.textContent = chosenPoint.hint;
      tip.hidden = false;
      var left = box.left + box.width / 2 - tip.offsetWidth / 2;
      tip.style.left = Math.max(4, Math.min(left, document.documentElement.clientWidth - tip.offsetWidth - 4))
        + window.scrollX + "px";
      tip.style.top = box.top - tip.offsetHeight - 12 + window.scrollY + "px";
    }
    function redraw() {
      hide();
      svgs.forEach(function (svg, i) {
        panels[i].forEach(function (panel, j) { show(panel, view.x, view.y, "clip-" + number + "-" + i + "-" + j); });
      });
      reset.hidden = !view.x && !view.y;
    }

    card.addEventListener("pointermove", function (event) {
      var svg = svgs[visible()], nearest = null, best = 24;
      if (drag) { dragged(event); return; }
      points(svg).forEach(function (candidate) {
        var box = candidate.getBoundingClientRect();
        var bar = !candidate.hasAttribute("transform");
        var dx = Math.abs(event.clientX - box.left - box.width / 2) - (bar ? box.width / 2 : 0);
        var dy = Math.abs(event.clientY - box.top - box.height / 2) - (bar ? box.height / 2 : 0);
        var distance = Math.hypot(Math.max(0, dx), Math.max(0, dy));
        if (distance < best) { best = distance; nearest = candidate; }
      });
      if (nearest) { point(svg, nearest); } else { hide(); }
    });
    card.addEventListener("pointerleave", hide);
    card.addEventListener("blur", hide);
    card.addEventListener("keydown", function (event) {
      var step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (event.key === "Escape") { hide(); }
      if (!step || event.target !== card) { return; }
      event.preventDefault();
      var svg = svgs[visible()], all = points(svg);
      if (all.length === 0) { return; }
      var at = Math.max(0, Math.min(current, all.length - 1));
      if (current < 0) {
        at = 0;
      } else if (/Left|Right/.test(event.key)) {
        at = (at + step + all.length) % all.length;
      } else {
        var series = all[at].parentNode;
        for (at += step; all[at] && all[at].parentNode === series; at += step) { }
        at = (at + all.length) % all.length;
      }
      current = at;
      point(svg, all[at]);
    });

    each(".legend [data-s]", function (entry) {
      function toggle() {
        var off = entry.getAttribute("aria-pressed") === "true";
        each("[data-s='" + entry.dataset.s + "']", function (group) {
          if (group.closest(".legend")) {
            group.setAttribute("aria-pressed", String(!off));
          } else {
            group.style.display = off ? "none" : "";
          }
        }, card);
        hide();
      }
      entry.setAttribute("role", "button");
      entry.setAttribute("tabindex", "0");
      entry.setAttribute("aria-pressed", "true");
      entry.addEventListener("click", toggle);
      entry.addEventListener("keydown", function (event) {
        if (event.key === "Enter" || event.key === " ") { event.preventDefault(); toggle(); }
      });
    }, card);

    // Zoom.

    var drag = null;
    function at(event, svg) {
      var frame = svg.getBoundingClientRect(), scale = svg.viewBox.baseVal.width / frame.width;
      return { x: (event.clientX - frame.left) * scale, y: (event.clientY - frame.top) * scale };
    }
    card.addEventListener("pointerdown", function (event) {
      var which = visible(), from = at(event, svgs[which]);
      if (event.pointerType !== "mouse" || event.button !== 0) { return; }
      var inside = panels[which].filter(function (panel) {
        return from.x >= panel.left && from.x <= panel.left + panel.width
          && from.y >= panel.top && from.y <= panel.top + panel.height;
      })[0];
      if (!inside) { return; }
      event.preventDefault();
      card.focus();
      hide();
      drag = { svg: svgs[which], panel: inside, from: from };
      drag.box = svgElement("rect", { fill: "#666666", opacity: 0.2 }, drag.svg);
    });
    function dragged(event) {
      var to = at(event, drag.svg), panel = drag.panel;
      drag.left = Math.max(panel.left, Math.min(drag.from.x, to.x));
      drag.right = Math.min(panel.left + panel.width, Math.max(drag.from.x, to.x));
      drag.top = Math.max(panel.top, Math.min(drag.from.y, to.y));
      drag.bottom = Math.min(panel.top + panel.height, Math.max(drag.from.y, to.y));
      // A flat selection takes the whole other axis, as an axis of words does.
      if (!panel.x || drag.right - drag.left < 12) { drag.left = panel.left; drag.right = panel.left + panel.width; }
      if (drag.bottom - drag.top < 12) { drag.top = panel.top; drag.bottom = panel.top + panel.height; }
      drag.box.setAttribute("x", drag.left);
      drag.box.setAttribute("y", drag.top);
      drag.box.setAttribute("width", drag.right - drag.left);
      drag.box.setAttribute("height", drag.bottom - drag.top);
    }
    window.addEventListener("pointerup", function (event) {
      if (!drag) { return; }
      var done = drag, panel = drag.panel, to = at(event, drag.svg);
      drag.box.remove();
      drag = null;
      if (Math.hypot(to.x - done.from.x, to.y - done.from.y) < 12 || done.left === undefined) { return; }
      var x = view.x || panel.x, y = view.y || panel.y;
      if (x) {
        view.x = {
          low: valueAt(x, (done.left - panel.left) / panel.width),
          high: valueAt(x, (done.right - panel.left) / panel.width), log: x.log
        };
      }
      view.y = {
        low: valueAt(y, 1 - (done.bottom - panel.top) / panel.height),
        high: valueAt(y, 1 - (done.top - panel.top) / panel.height), log: y.log
      };
      redraw();
    });

    var tools = card.parentNode.querySelector(".tools");
    if (!tools) {
      tools = card.parentNode.querySelector("figcaption").appendChild(document.createElement("span"));
      tools.className = "tools";
    }
    var reset = tools.appendChild(button("Reset", function () {
      view = { x: null, y: null };
      scale.setAttribute("aria-pressed", String(own.y.log));
      redraw();
    }));
    reset.hidden = true;
    var smallest = Infinity;
    points(svgs[0]).forEach(function (one) {
      var home = /^translate\(\S+ (\S+)\)$/.exec(one.getAttribute("transform") || "") || /^M\S+ ([\d.]+)/.exec(one.getAttribute("d"));
      var panel = panels[0].filter(function (other) { return other.element.contains(one); })[0];
      var at = panel && home ? panel.yAt(+home[1]) : 0;
      if (at > 1e-9 * own.y.high) { smallest = Math.min(smallest, at); }
    });
    var scale = tools.appendChild(button("Log scale", function () {
      var log = scale.getAttribute("aria-pressed") !== "true";
      scale.setAttribute("aria-pressed", String(log));
      view.y = log === own.y.log ? null
        : { low: log ? smallest / 1.15 : 0, high: own.y.high, log: log };
      redraw();
    }));
    scale.setAttribute("aria-pressed", String(own.y.log));
    scale.hidden = !(smallest < own.y.high) || own.y.low < 0;
  }
  each(".card", interact);

  // Results: those that are chosen, compared by figures, differences and commands.

  var results = document.getElementById("results");
  var COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#999999"];
  var MARKS = ["M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z", "M-3.6 -3.6L3.6 -3.6L3.6 3.6L-3.6 3.6z", "M0 -4.6L4.4 3.2L-4.4 3.2z",
    "M0 -5L5 0L0 5L-5 0z", "M0 4.6L4.4 -3.2L-4.4 -3.2z", "M-3.6 -1L3.6 -1L3.6 1L-3.6 1z"];
  var chosen = [], shared, drawnCards = 1000;

  function make(name, text, parent) {
    var made = document.createElement(name);
    made.textContent = text;
    return parent ? parent.appendChild(made) : made;
  }
  function dataOf(row) {
    if (!("data" in row)) {
      var block = [].slice.call(document.querySelectorAll("script[data-of]")).filter(function (one) {
        return one.dataset.of === row.dataset.folder;
      })[0];
      row.data = block ? JSON.parse(block.textContent) : null;
    }
    return row.data;
  }
  function middle(sorted) {
    var half = sorted.length >> 1;
    return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  }
  function ascending(a, b) { return a - b; }
  function numbers(values) { return values.filter(function (one) { return one !== ""; }); }
  function sum(values) { return values.reduce(function (a, b) { return a + b; }, 0); }

  // As regress compare: ratio new / base with its interval. Measured: the median of all ratios, and the interval of the
  // rank test, whose ranks the page has. Simulated: that of the means over the runs of the same repeat and seed.
  function difference(base, now, metric) {
    if (base.kind !== now.kind) { return { why: base.kind + " against " + now.kind }; }
    var a = base.metrics[metric], b = now.metrics[metric];
    if (!a || !b) { return { why: "no value" }; }
    if (base.kind !== "measured") {
      var left = [], right = [], changed = 0;
      base.ids.forEach(function (id, i) {
        var j = now.ids.indexOf(id);
        if (j >= 0 && a[i] !== "" && b[j] !== "") {
          left.push(a[i]);
          right.push(b[j]);
          changed += a[i] === b[j] ? 0 : 1;
        }
      });
      if (left.length === 0) { return { why: "no run of the same seed" }; }
      var from = sum(left) / left.length, to = sum(right) / right.length;
      if (changed && from === 0) { return { why: "the base is 0: no ratio" }; }
      return { base: from, now: to, ratio: changed ? to / from : 1, changed: changed, runs: left.length };
    }
    a = numbers(a);
    b = numbers(b);
    var ratios = [];
    a.forEach(function (x) { b.forEach(function (y) { ratios.push(Math.log(y) - Math.log(x)); }); });
    if (a.concat(b).every(function (one) { return one === 0; })) { return { base: 0, now: 0, ratio: 1, low: 1, high: 1, runs: a.length }; }
    if (a.concat(b).some(function (one) { return one <= 0; })) { return { why: "values of 0 have no ratio" }; }
    ratios.sort(ascending);
    var cut = shared.cuts[a.length + "," + b.length];
    var ratio = Math.exp(middle(ratios));
    var own = middle(a.concat(b.map(function (one) { return one / ratio; })).sort(ascending));
    return {
      base: own, now: own * ratio, ratio: ratio, low: cut ? Math.exp(ratios[cut - 1]) : 0,
      high: cut ? Math.exp(ratios[ratios.length - cut]) : Infinity, runs: Math.min(a.length, b.length)
    };
  }

  function percent(ratio) {
    if (ratio === Infinity) { return "∞"; }
    var change = (ratio - 1) * 100;
    return Math.abs(change) < 0.05 ? "0.0" : (change > 0 ? "+" : "") + change.toFixed(1).replace("-", "−");
  }
  function inWords(found) {
    return found.why ? found.why
      : found.high === Infinity ? percent(found.ratio) + " % (too few runs for an interval)"
      : found.low !== undefined
        ? percent(found.ratio) + " % (" + percent(found.low) + " to " + percent(found.high) + ")"
        : found.changed ? percent(found.ratio) + " %" : "equal";
  }

  function byCell(data) {
    var cells = {};
    data.cells.forEach(function (cell) { cells[cell.scenario + " " + cell.cell] = cell; });
    return cells;
  }
  function tableOf(datas, place) {
    var sides = datas.map(byCell), base = sides[0];
    var table = document.createElement("table"), head = table.createTHead().insertRow();
    table.className = "sorted";
    var several = new Set(datas[0].cells.map(function (cell) { return cell.scenario; })).size > 1;
    ["Cell", "Metric"].concat(chosen.slice(1).map(function (row) {
      return "Change in " + row.dataset.folder;
    })).forEach(function (title) {
      make("th", title, head).scope = "col";
    });
    var body = table.createTBody();
    Object.keys(base).forEach(function (key) {
      Object.keys(base[key].metrics).forEach(function (metric) {
        var others = sides.slice(1).map(function (side) { return side[key]; });
        if (!others.some(Boolean)) { return; }
        var line = body.insertRow();
        line.insertCell().textContent = (several ? base[key].scenario + ": " : "") + base[key].cell;
        line.insertCell().textContent = metric;
        others.forEach(function (other) {
          var found = other ? difference(base[key], other, metric) : { why: "not run" };
          var cell = line.insertCell();
          cell.textContent = inWords(found);
          if (found.why) { return; }
          cell.dataset.value = (found.ratio - 1) * 100;
          cell.dataset.ratio = found.ratio;
          cell.dataset.low = found.low;
          cell.dataset.high = found.high;
          if (found.low > 1 || found.high < 1 || found.changed) {
            cell.className = (found.ratio > 1) === shared.higher[metric] ? "better" : "worse";
          }
          var more = make("span", label(Number(found.base.toPrecision(4))) + " → " + label(Number(found.now.toPrecision(4)))
            + (found.changed ? ", in " + found.changed + " of " + found.runs + " runs" : "")
            + (other.failed || base[key].failed ? ", failed runs: " + base[key].failed + " and " + other.failed : ""), cell);
          more.className = "sub";
        });
      });
    });
    if (body.rows.length > 0) {
      make("p", "Changes against " + chosen[0].dataset.folder + ", of measured cells with 95 % intervals, each for itself.", place)
        .className = "quiet";
      place.appendChild(table);
      sortable(table);
    } else {
      make("p", "The chosen results have no cell in common.", place).className = "quiet";
    }
  }

  function settingsOf(data, cell) {
    return data.common[cell.scenario].concat(cell.settings).map(function (one) { return data.settings[one]; });
  }
  function cautions(datas, place) {
    var base = chosen[0], cells = byCell(datas[0]);
    chosen.slice(1).forEach(function (row, i) {
      var name = row.dataset.folder, differ = {};
      datas[i + 1].cells.forEach(function (cell) {
        var own = cells[cell.scenario + " " + cell.cell];
        if (!own) { return; }
        var before = settingsOf(datas[0], own);
        settingsOf(datas[i + 1], cell).forEach(function (one) { if (before.indexOf(one) < 0) { differ[one] = true; } });
      });
      var measured = datas[i + 1].cells.some(function (cell) { return cell.kind === "measured"; });
      if (Object.keys(differ).length > 0) {
        make("p", name + " was run with other settings: " + Object.keys(differ).slice(0, 8).join(", "), place);
      }
      if (measured && row.dataset.machine !== base.dataset.machine) {
        make("p", name + " was measured on another machine: " + row.dataset.machine, place);
      } else if (measured) {
        make("p", name + " was measured at another time: other load may appear as a difference.", place);
      }
    });
  }

  function lines(csv) {
    return csv.trim().split("\n").map(function (line) {
      return (line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) || []).slice(0, -1).map(function (field) {
        return field.replace(/,$/, "").replace(/^"([\s\S]*)"$/, "$1").replace(/""/g, '"');
      });
    });
  }
  // Points of a figure by panel: a line of the figure, in which each result has its own line.
  function figureOf(csv, titles) {
    var table = lines(csv), head = table[0], k = 0;
    while (k < head.length && !(head[k] === "kind" && head[k + 3] === "ci95")) { k++; }
    var figure = { x: head[k + 1], y: head[k + 2], panels: {} };
    table.slice(1).forEach(function (row) {
      if (row[k] === "published" || row[k + 2] === "") { return; }
      var name = row.slice(0, k).filter(Boolean).map(function (one) { return titles[one] || one; }).join(", ");
      (figure.panels[name] = figure.panels[name] || []).push({ x: row[k + 1], y: +row[k + 2], half: +row[k + 3] || 0 });
    });
    return figure;
  }

  function overlay(name, figures, width, place) {
    var first = figures.filter(Boolean)[0], panels = [], xs = [], top = 0;
    figures.forEach(function (figure) {
      Object.keys(figure ? figure.panels : {}).forEach(function (panel) {
        if (panels.indexOf(panel) < 0) { panels.push(panel); }
        figure.panels[panel].forEach(function (point) {
          if (xs.indexOf(point.x) < 0) { xs.push(point.x); }
          top = Math.max(top, point.y + point.half);
        });
      });
    });
    var words = xs.some(function (x) { return isNaN(+x); });
    if (!words) { xs = xs.map(Number).sort(ascending); }
    var columns = Math.max(1, Math.min(panels.length, Math.floor(width / 230)));
    var rows = Math.ceil(panels.length / columns), wide = width / columns, high = 190;
    var figure = make("figure", "", place);
    var card = make("div", "", figure);
    card.className = "card";
    card.tabIndex = 0;
    var svg = svgElement("svg", {
      "class": "plot", viewBox: "0 0 " + width + " " + (rows * high + 4), role: "group", "aria-label": name,
      "font-family": "inherit", fill: "none"
    }, card);
    var low = words ? 0 : xs[0], span = words ? xs.length : (xs[xs.length - 1] - low) || 1;
    var yAxis = { low: 0, high: top * 1.08 || 1 };
    var xAxis = words ? null : { low: low - span * 0.04, high: low + span * 1.04 };
    panels.forEach(function (panel, p) {
      var left = p % columns * wide + 50, upper = Math.floor(p / columns) * high + 26, w = wide - 62, h = high - 64;
      function px(x) { return left + w * (words ? (xs.indexOf(x) + 0.5) / xs.length : place01(xAxis, +x)); }
      function py(y) { return upper + h * (1 - y / yAxis.high); }
      function place01(on, at) { return (at - on.low) / (on.high - on.low); }
      svgElement("text", { x: left, y: upper - 9, "font-size": 12, "font-weight": "bold", fill: "#222222" }, svg)
        .textContent = panel;
      var group = svgElement("g", {
        "class": "panel", "data-box": [left, upper, w, h].join(" "), "data-x": xAxis ? xAxis.low + " " + xAxis.high : "",
        "data-y": "0 " + yAxis.high
      }, svg);
      var grid = svgElement("g", { "class": "gy" }, group), sideTexts = svgElement("g", { "class": "ty" }, group);
      ticks(yAxis, 4).forEach(function (at) {
        svgElement("path", { d: "M" + left + " " + py(at) + "h" + w, stroke: "#e2e2e2", "stroke-width": 0.8 }, grid);
        svgElement("text", { x: left - 6, y: py(at) + 4, "text-anchor": "end", "font-size": 11, fill: "#222222" }, sideTexts)
          .textContent = label(at);
      });
      var under = svgElement("g", { "class": "tx" }, group), last = -Infinity;
      (words ? xs : ticks(xAxis, w / 50)).forEach(function (at) {
        var text = words ? at : label(at), half = text.length * 3.3;
        if (px(at) - half < last + 6) { return; }
        last = px(at) + half;
        svgElement("text", { x: px(at), y: upper + h + 15, "text-anchor": "middle", "font-size": 11, fill: "#222222" }, under)
          .textContent = text;
      });
      svgElement("text", { x: left + w / 2, y: upper + h + 29, "text-anchor": "middle", "font-size": 11, fill: "#222222" }, svg)
        .textContent = first.x;
      figures.forEach(function (one, side) {
        var points = (one && one.panels[panel] || []).slice();
        if (!words) { points.sort(function (a, b) { return a.x - b.x; }); }
        var data = svgElement("g", { "class": "data" }, group), color = COLORS[side], path = "";
        points.forEach(function (point, i) { path += (i ? "L" : "M") + px(point.x) + " " + py(point.y); });
        if (!words && points.length > 1) {
          svgElement("path", { d: path, stroke: color, "stroke-width": 1.8, "stroke-dasharray": side ? "7 3" : "none" }, data);
        }
        points.forEach(function (point) {
          var shift = words ? (side - (figures.length - 1) / 2) * 9 : 0;
          if (point.half > 0) {
            svgElement("path", {
              d: "M" + (px(point.x) + shift) + " " + py(Math.max(0, point.y - point.half)) + "L" + (px(point.x) + shift) + " "
                + py(point.y + point.half), stroke: color, "stroke-width": 1.2
            }, data);
          }
          var mark = svgElement("path", {
            "class": "p", transform: "translate(" + (px(point.x) + shift) + " " + py(point.y) + ")", d: MARKS[side],
            fill: side ? "none" : color, stroke: color, "stroke-width": side ? 1.6 : 0
          }, data);
          svgElement("title", {}, mark).textContent = chosen[side].dataset.folder + ", " + panel + ", " + first.x + " " + point.x
            + ": " + label(Number(point.y.toPrecision(4))) + (point.half ? " ± " + label(Number(point.half.toPrecision(2))) : "");
        });
      });
    });
    var caption = make("figcaption", "", figure);
    make("b", name, caption);
    caption.appendChild(document.createTextNode(". " + first.y + ", by " + first.x + ". Means over the runs with 95 % intervals."));
    interact(card, drawnCards++);
  }

  function compare(comparison) {
    ["sides", "cautions", "overlays", "differences"].forEach(function (name) {
      comparison.querySelector("." + name).textContent = "";
    });
    chosen.forEach(function (row, i) {
      var item = make("li", "", comparison.querySelector(".sides"));
      var key = svgElement("svg", { viewBox: "0 0 32 12", "aria-hidden": "true" }, item);
      svgElement("path", { d: "M0 6h32", stroke: COLORS[i], "stroke-width": 1.8, "stroke-dasharray": i ? "7 3" : "none" }, key);
      svgElement("path", { transform: "translate(16 6)", d: MARKS[i], fill: i ? "none" : COLORS[i],
        stroke: COLORS[i], "stroke-width": i ? 1.6 : 0 }, key);
      item.appendChild(document.createTextNode(row.dataset.folder + (i ? "" : " (base)") + ", " + row.dataset.fabric + ", "
        + row.dataset.card + ", commit " + row.dataset.commit));
    });
    shared = shared || JSON.parse(document.getElementById("shared").textContent);
    var datas = chosen.map(dataOf);
    if (!datas.every(Boolean)) {
      make("p", "This page has no data of " + chosen.filter(function (row) { return !dataOf(row); }).map(function (row) {
        return row.dataset.folder;
      }).join(", ") + ": use the commands.", comparison.querySelector(".cautions"));
      return;
    }
    cautions(datas, comparison.querySelector(".cautions"));
    var place = comparison.querySelector(".overlays"), width = Math.min(620, Math.max(280, place.clientWidth - 4));
    Object.keys(datas[0].figures).forEach(function (name) {
      var figures = datas.map(function (data) { return data.figures[name] ? figureOf(data.figures[name], data.titles) : null; });
      if (figures.filter(Boolean).length > 1) { overlay(name, figures, width, place); }
    });
    tableOf(datas, comparison.querySelector(".differences"));
  }

  if (results) {
    results.addEventListener("change", function (event) {
      var row = event.target.closest("tr");
      chosen = chosen.filter(function (other) { return other !== row; });
      if (event.target.checked) { chosen.push(row); }
      if (chosen.length > COLORS.length) { chosen.shift().querySelector("input").checked = false; }
      chosen.sort(function (a, b) { return a.cells[5].dataset.value < b.cells[5].dataset.value ? -1 : 1; });
      var comparison = document.getElementById("comparison");
      comparison.hidden = chosen.length < 2;
      if (chosen.length < 2) { return; }
      var paths = chosen.map(function (one) {
        var path = results.dataset.parent + "/" + one.dataset.folder;
        return /^[\w@%+=:,./-]+$/.test(path) ? path : "'" + path.replace(/'/g, "'\\''") + "'";
      }).join(" ");
      var commands = comparison.querySelectorAll("code");
      commands[0].textContent = "./run.sh regress compare " + paths;
      commands[1].textContent = "./run.sh report " + paths;
      // Runs are compared with those of the same scenario, two at a time.
      var same = chosen.length === 2 && chosen[0].dataset.scenarios === chosen[1].dataset.scenarios;
      commands[0].closest(".command").hidden = !same;
      commands[0].closest(".command").previousElementSibling.hidden = !same;
      compare(comparison);
    });
  }

  // Page of a run in progress: requested again every second, in a hidden tab rarely, and its changed parts are replaced.

  var live = document.getElementById("live"), timer, lost = 0;

  function children(element) {
    return [].slice.call(element.children);
  }

  function renew(old, now) {
    var images = old.querySelector("img") && now.querySelector("img"), own = children(old), next = children(now);
    if (old.tagName === "IMG" && now.tagName === "IMG") {
      // The same element shows the old drawing until it has loaded the new one.
      ["alt", "src"].forEach(function (name) {
        if (old.getAttribute(name) !== now.getAttribute(name)) { old.setAttribute(name, now.getAttribute(name)); }
      });
    } else if ((images || old === live) && own.length === next.length) {
      ["href", "data-state"].forEach(function (name) {
        if (now.hasAttribute(name)) { old.setAttribute(name, now.getAttribute(name)); }
      });
      own.forEach(function (child, i) { renew(child, next[i]); });
    } else if ((old.received || old.outerHTML) !== now.outerHTML) {
      now.received = now.outerHTML;
      old.replaceWith(now);
      each(".copy", copyable, now);
    }
  }

  function poll() {
    clearTimeout(timer);
    fetch(document.hidden ? "?hidden" : "?").then(function (answer) { return answer.text(); }).then(function (html) {
      var now = new DOMParser().parseFromString(html, "text/html");
      lost = 0;
      document.title = now.title;
      if (!document.hidden) { renew(live, now.getElementById("live")); }
    }).catch(function () {
      lost++;
      if (lost === 3) {
        live.querySelector("h2").textContent = live.dataset.state === "ended"
          ? "The program has ended." : "The program has ended or was interrupted.";
      }
    }).then(function () {
      if (lost < 3) { timer = setTimeout(poll, document.hidden ? 30000 : live.dataset.state === "ended" ? 5000 : 1000); }
    });
  }

  if (live) {
    document.addEventListener("visibilitychange", poll);
    timer = setTimeout(poll, 1000);
  }
})();
