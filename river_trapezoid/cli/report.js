"use strict";

// Line charts: hover or arrow keys for values, drag to zoom, double-click to zoom out.
function chart(root) {
  const { series } = JSON.parse(root.querySelector("script").textContent);
  const all = [Math.min(...series.flatMap((s) => s.x)), Math.max(...series.flatMap((s) => s.x))];
  const margin = { top: 8, right: 12, bottom: 34, left: 52 };
  let range = all.slice();
  let drag = null;
  let cursor = null;
  let frame;

  const svg = element("svg", { tabindex: 0, role: "img", "aria-label": root.dataset.label });
  const legend = document.createElement("div");
  const tip = document.createElement("div");
  legend.className = "legend";
  tip.className = "tip";
  tip.hidden = true;
  root.append(svg, legend, tip);

  for (const s of series) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(sample(s), s.name);
    button.setAttribute("aria-pressed", s.shown);
    button.addEventListener("click", () => {
      s.shown = !s.shown;
      button.setAttribute("aria-pressed", s.shown);
      draw();
    });
    legend.append(button);
  }
  const reset = document.createElement("button");
  reset.type = "button";
  reset.className = "plain";
  reset.textContent = "zoom out";
  reset.hidden = true;
  reset.addEventListener("click", () => zoom(all));
  legend.append(reset);

  function zoom(to) {
    range = to.slice();
    reset.hidden = range[0] === all[0] && range[1] === all[1];
    hide();
    draw();
  }

  function draw() {
    const width = Math.max(root.clientWidth, 240);
    const height = Math.round(Math.min(380, Math.max(230, 0.45 * width)));
    const shown = series.filter((s) => s.shown);
    // More bands would hide each other; the values at the cursor include the deviations.
    const banded = shown.length <= 3;
    const values = shown.flatMap((s) =>
      s.y.flatMap((y, i) => {
        const spread = banded ? s.spread[i] : 0;
        return s.x[i] < range[0] || s.x[i] > range[1] ? [] : [y - spread, y + spread];
      }));
    let low = values.length ? Math.min(...values) : 0;
    let high = values.length ? Math.max(...values) : 1;
    const padding = 0.05 * (high - low) || 0.01;
    low -= padding;
    high += padding;
    const inner = [width - margin.left - margin.right, height - margin.top - margin.bottom];
    const X = (x) => margin.left + ((x - range[0]) / (range[1] - range[0] || 1)) * inner[0];
    const Y = (y) => margin.top + (1 - (y - low) / (high - low)) * inner[1];
    frame = { X, Y, shown, width, height };
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    svg.replaceChildren();

    for (const y of ticks(low, high, 5)) {
      svg.append(line(margin.left, Y(y), width - margin.right, Y(y), "#e4e4e4"));
      svg.append(label(margin.left - 6, Y(y) + 4, short(y), "end"));
    }
    for (const x of ticks(range[0], range[1], Math.max(2, Math.floor(inner[0] / 90)))) {
      const text = x.toLocaleString("en");
      // A label that would leave the chart is aligned to its end; a digit is about 7 pixels wide.
      const anchor = X(x) + 3.5 * text.length > width ? "end" : "middle";
      svg.append(label(X(x), height - margin.bottom + 16, text, anchor));
    }
    svg.append(label(width - margin.right, height - 4, "rows", "end"));
    const clip = `clip${Math.random().toString(36).slice(2)}`;
    const path = element("clipPath", { id: clip });
    path.append(element("rect", { x: margin.left, y: 0, width: inner[0], height }));
    svg.append(path);
    for (const s of shown) {
      const there = s.x.map((x, i) => `${X(x)},${Y(s.y[i] + s.spread[i])}`);
      const back = s.x.map((x, i) => `${X(x)},${Y(s.y[i] - s.spread[i])}`).reverse();
      const within = { "clip-path": `url(#${clip})` };
      if (banded && s.spread.some((d) => d > 0)) {
        svg.append(element("polygon", {
          ...within, points: [...there, ...back].join(" "), fill: s.colour, opacity: 0.13,
        }));
      }
      svg.append(element("polyline", {
        ...within, points: s.x.map((x, i) => `${X(x)},${Y(s.y[i])}`).join(" "),
        fill: "none", stroke: s.colour, "stroke-width": 2, "stroke-dasharray": s.dash,
      }));
    }
  }

  function point(at) {
    const steps = frame.shown.flatMap((s) => s.x).filter((x) => x >= range[0] && x <= range[1]);
    if (!steps.length) return hide();
    cursor = steps.reduce((a, b) => (Math.abs(b - at) < Math.abs(a - at) ? b : a));
    svg.querySelectorAll(".mark").forEach((mark) => mark.remove());
    const x = frame.X(cursor);
    const rule = line(x, margin.top, x, frame.height - margin.bottom, "#888");
    rule.setAttribute("class", "mark");
    svg.append(rule);
    const rows = [];
    for (const s of frame.shown) {
      const i = s.x.indexOf(cursor);
      if (i < 0) continue;
      svg.append(element("circle", {
        class: "mark", cx: x, cy: frame.Y(s.y[i]), r: 4, fill: s.colour,
      }));
      rows.push([s, s.y[i], s.spread[i]]);
    }
    rows.sort((a, b) => b[1] - a[1]);
    tip.replaceChildren(`${cursor.toLocaleString("en")} rows`);
    for (const [s, y, spread] of rows) {
      const row = document.createElement("div");
      const spreads = spread > 0 ? ` ± ${spread.toFixed(4)}` : "";
      row.append(sample(s), `${y.toFixed(4)}${spreads}  ${s.name}`);
      tip.append(row);
    }
    tip.hidden = false;
    const scale = svg.clientWidth / frame.width;
    const room = root.clientWidth - tip.offsetWidth;
    const beside = x * scale + 12;
    tip.style.left = `${Math.max(0, beside > room ? x * scale - tip.offsetWidth - 12 : beside)}px`;
  }

  function hide() {
    cursor = null;
    tip.hidden = true;
    svg.querySelectorAll(".mark").forEach((mark) => mark.remove());
  }

  function place(event) {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * frame.width;
    const share = (x - margin.left) / (frame.width - margin.left - margin.right);
    return range[0] + Math.min(1, Math.max(0, share)) * (range[1] - range[0]);
  }

  svg.addEventListener("pointermove", (event) => {
    const at = place(event);
    point(at);
    if (drag === null) return;
    svg.querySelector(".brush")?.remove();
    const [from, to] = [Math.min(drag, at), Math.max(drag, at)];
    svg.append(element("rect", {
      class: "brush", x: frame.X(from), width: frame.X(to) - frame.X(from), y: margin.top,
      height: frame.height - margin.top - margin.bottom, fill: "#0072B2", opacity: 0.12,
    }));
  });
  svg.addEventListener("pointerdown", (event) => {
    drag = place(event);
    if (event.pointerType === "mouse") svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener("pointerup", (event) => {
    const at = place(event);
    const [from, to] = [Math.min(drag, at), Math.max(drag, at)];
    const far = frame.X(to) - frame.X(from) > 8;
    drag = null;
    svg.querySelector(".brush")?.remove();
    if (far) zoom([from, to]);
  });
  svg.addEventListener("pointercancel", () => { drag = null; });
  svg.addEventListener("pointerleave", hide);
  svg.addEventListener("blur", hide);
  svg.addEventListener("dblclick", () => zoom(all));
  svg.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return zoom(all);
    const turn = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!turn) return;
    event.preventDefault();
    const steps = [...new Set(frame.shown.flatMap((s) => s.x))].sort((a, b) => a - b);
    const next = cursor === null ? (turn > 0 ? 0 : steps.length - 1) : steps.indexOf(cursor) + turn;
    point(steps[Math.min(steps.length - 1, Math.max(0, next))]);
  });
  new ResizeObserver(draw).observe(root);
  draw();
}

function element(name, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

function line(x1, y1, x2, y2, stroke) {
  return element("line", { x1, y1, x2, y2, stroke });
}

// A piece of a line, for the legend.
function sample(s) {
  const made = element("svg", { class: "sample", viewBox: "0 0 28 8", "aria-hidden": "true" });
  const piece = line(0, 4, 28, 4, s.colour);
  piece.setAttribute("stroke-width", 3);
  piece.setAttribute("stroke-dasharray", s.dash);
  made.append(piece);
  return made;
}

function label(x, y, text, anchor) {
  const made = element("text", { x, y, "text-anchor": anchor });
  made.textContent = text;
  return made;
}

function short(value) {
  return Number(value.toPrecision(3)).toString();
}

function ticks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high; i += 1) found.push(Number((i * step).toPrecision(12)));
  return found;
}

document.querySelectorAll(".chart").forEach(chart);
