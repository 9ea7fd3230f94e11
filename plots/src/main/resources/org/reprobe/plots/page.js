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

  each(".copy", function (copy) {
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
  });

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
  function search() {
    var rows = [].slice.call(document.querySelectorAll("tr.claim, #results tbody tr"));
    var show = document.documentElement.dataset.filter || "all";
    var count = narrow(rows, find.value, shows[show]);
    var some = find.value !== "" || show !== "all";
    each(".claims, table.rows, .fold", function (list) {
      list.classList.toggle("empty", !list.querySelector("tr.claim:not([hidden])"));
    });
    each(".fold", function (fold) { fold.open = some; });
    document.getElementById("shown").textContent = some ? count + " of " + rows.length : "";
  }
  if (find) { find.addEventListener("input", search); }
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
  each("table.sorted", function (table) {
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
  });

  // Commands that compare two results.

  var results = document.getElementById("results");
  var chosen = [];
  if (results) {
    results.addEventListener("change", function (event) {
      var row = event.target.closest("tr");
      chosen = chosen.filter(function (other) { return other !== row; });
      if (event.target.checked) { chosen.push(row); }
      if (chosen.length > 2) { chosen.shift().querySelector("input").checked = false; }
      var comparison = document.getElementById("comparison");
      comparison.hidden = chosen.length < 2;
      if (chosen.length < 2) { return; }
      var older = chosen[0].cells[5].dataset.value <= chosen[1].cells[5].dataset.value ? 0 : 1;
      var paths = [chosen[older], chosen[1 - older]].map(function (one) {
        var path = results.dataset.parent + "/" + one.dataset.folder;
        return /^[\w@%+=:,./-]+$/.test(path) ? path : "'" + path.replace(/'/g, "'\\''") + "'";
      }).join(" ");
      var commands = comparison.querySelectorAll("code");
      commands[0].textContent = "./run.sh regress compare " + paths;
      commands[1].textContent = "./run.sh report " + paths;
      // Runs are compared with those of the same scenario.
      var same = chosen[0].dataset.scenarios === chosen[1].dataset.scenarios;
      commands[0].closest(".command").hidden = !same;
      commands[0].closest(".command").previousElementSibling.hidden = !same;
    });
  }

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

  each(".card", function (card, number) {
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
  });
})();
