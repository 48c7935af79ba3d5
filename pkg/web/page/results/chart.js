// A figure of lines over generations or samples, with the values below the pointer.

import { element, shape } from "/shared/board.js";

const margin = { left: 58, right: 14, top: 12, bottom: 46 };
const height = 320;

// The colors of Okabe and Ito, which color-blind readers can tell apart.
const colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a7a00", "#7f7f7f"];
export const colorOf = (n) => colors[n % colors.length];
export const isDashed = (n) => n >= colors.length;

const formats = [0, 1, 2, 3, 4, 5, 6].map((digits) => new Intl.NumberFormat("en", { maximumFractionDigits: digits }));
export const count = (n) => formats[0].format(n);
export const format = (x) => {
  if (x === null || x === undefined) return "–";
  const digits = x === 0 ? 0 : Math.max(0, 3 - Math.floor(Math.log10(Math.abs(x))));
  return formats[Math.min(digits, 6)].format(x).replace("-", "−");
};

// ticks returns about n round numbers from low to high, at least some distance apart.
function ticks(low, high, n, least = 0) {
  const raw = (high - low) / n;
  const base = 10 ** Math.floor(Math.log10(raw));
  const step = Math.max(least, [1, 2, 5, 10].map((f) => f * base).find((s) => s >= raw));
  const all = [];
  for (let x = Math.ceil(low / step) * step; x <= high + step * 1e-9; x += step) all.push(x);
  return all;
}

// drawLines draws lines {name, color, points: [[x, y]]} into a box.
export function drawLines(box, lines, xLabel) {
  const points = lines.flatMap((l) => l.points);
  box.replaceChildren();
  if (points.length === 0) return;
  const width = Math.max(280, box.clientWidth);
  const picture = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${lines.length} lines over ${xLabel}` }, box);
  const range = (values) => {
    const low = Math.min(...values);
    const high = Math.max(...values);
    const middle = (low + high) / 2;
    return high - low <= 1e-9 * Math.abs(middle) ? [middle - 0.5, middle + 0.5] : [low, high]; // but for rounding
  };
  const [x0, x1] = range(points.map((p) => p[0]));
  let [y0, y1] = range(points.map((p) => p[1]));
  [y0, y1] = [y0 - (y1 - y0) * 0.05, y1 + (y1 - y0) * 0.05];
  const px = (x) => margin.left + ((x - x0) / (x1 - x0)) * (width - margin.left - margin.right);
  const py = (y) => height - margin.bottom - ((y - y0) / (y1 - y0)) * (height - margin.top - margin.bottom);
  for (const y of ticks(y0, y1, 5)) {
    shape("line", { class: "grid", x1: margin.left, x2: width - margin.right, y1: py(y), y2: py(y) }, picture);
    shape("text", { x: margin.left - 8, y: py(y) + 4, "text-anchor": "end" }, picture, format(y));
  }
  for (const x of ticks(x0, x1, Math.min(8, width / 90), 1)) { // generations, samples and epochs are whole
    shape("text", { x: px(x), y: height - 28, "text-anchor": "middle" }, picture, format(x));
  }
  shape("text", { x: (margin.left + width - margin.right) / 2, y: height - 8, "text-anchor": "middle" }, picture, xLabel);
  for (const l of lines) {
    shape("polyline", { points: l.points.map(([x, y]) => `${px(x)},${py(y)}`).join(" "), stroke: l.color, ...(l.dashed && { "stroke-dasharray": "6 4" }) }, picture);
    if (l.points.length === 1) shape("circle", { cx: px(l.points[0][0]), cy: py(l.points[0][1]), r: 3, fill: l.color }, picture);
  }
  const tip = element("div", "tip", box);
  tip.hidden = true;
  const dot = shape("circle", { r: 4, visibility: "hidden" }, picture);
  picture.addEventListener("pointermove", (e) => {
    const at = picture.getBoundingClientRect();
    const [x, y] = [((e.clientX - at.left) / at.width) * width, ((e.clientY - at.top) / at.height) * height];
    let best = null;
    for (const l of lines) {
      for (const p of l.points) {
        const away = Math.hypot(px(p[0]) - x, py(p[1]) - y);
        if (best === null || away < best.away) best = { away, l, p };
      }
    }
    dot.setAttribute("cx", px(best.p[0]));
    dot.setAttribute("cy", py(best.p[1]));
    dot.setAttribute("fill", best.l.color);
    dot.setAttribute("visibility", "visible");
    tip.textContent = `${best.l.name}: ${format(best.p[1])} at ${format(best.p[0])} ${xLabel}`;
    tip.hidden = false;
    const left = (px(best.p[0]) / width) * at.width;
    tip.style.left = left < at.width / 2 ? `${left + 12}px` : "";
    tip.style.right = left < at.width / 2 ? "" : `${at.width - left + 12}px`;
    tip.style.top = `${(py(best.p[1]) / height) * at.height}px`;
  });
  picture.addEventListener("pointerleave", () => {
    tip.hidden = true;
    dot.setAttribute("visibility", "hidden");
  });
}
