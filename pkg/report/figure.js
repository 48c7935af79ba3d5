"use strict";
// Figures show the value nearest to the pointer, hide a series whose key in the legend is
// pressed, and select lines of parallel coordinates by ranges of their axes. What the parts
// of a figure are is in plots/inpage.go. Without this script the figures stand as they are.
const tip = document.createElement("div");
tip.className = "tip";
tip.hidden = true;
document.body.append(tip);

const nearness = 24; // the greatest distance of a pointer from a place, in pixels of the screen
const shape = (name, attributes) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
};

const interact = (svg) => {
  const places = [...svg.querySelectorAll("[data-x]")].map((part) => ({
    part, x: Number(part.dataset.x), y: Number(part.dataset.y), text: part.closest("[data-value]")?.dataset.value ?? "",
  }));
  const keys = [...svg.querySelectorAll("[data-key]")];
  const axes = [...svg.querySelectorAll("[data-axis]")].map((part) => {
    const [left, right, top, bottom] = part.dataset.axis.split(" ").map(Number);
    return { left, right, top, bottom, from: NaN, to: NaN, mark: null };
  });
  const all = [...svg.querySelectorAll("[data-line]")].map((part) => ({ part, heights: part.dataset.line.split(" ").map(Number) }));
  if (places.length + keys.length + axes.length === 0) return;
  if (keys.length > 0) svg.setAttribute("role", "group"); // the parts of an image are no buttons

  // A title would be shown by the browser too, above the values.
  const title = svg.querySelector(":scope > title");
  if (title !== null) {
    svg.setAttribute("aria-label", title.textContent);
    title.remove();
  }
  const ring = shape("circle", { r: 4.5, class: "ring", visibility: "hidden" });
  svg.append(ring);
  const scale = () => svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  const at = (event) => {
    const box = svg.getBoundingClientRect();
    return { x: (event.clientX - box.left) / scale(), y: (event.clientY - box.top) / scale() };
  };
  const hide = () => {
    tip.hidden = true;
    ring.setAttribute("visibility", "hidden");
  };
  const show = (event) => {
    const pointer = at(event);
    let best = null, least = nearness / scale();
    for (const place of places) {
      const distance = Math.hypot(place.x - pointer.x, place.y - pointer.y);
      if (place.text === "" || distance >= least || place.part.closest(".off") !== null) continue;
      [best, least] = [place, distance];
    }
    if (best === null) return hide();
    ring.setAttribute("cx", best.x);
    ring.setAttribute("cy", best.y);
    ring.setAttribute("visibility", "visible");
    tip.textContent = best.text;
    tip.hidden = false;
    const box = svg.getBoundingClientRect(), size = tip.getBoundingClientRect();
    const x = box.left + best.x * scale() + 12, y = box.top + best.y * scale() - size.height - 8;
    tip.style.left = `${scrollX + Math.max(4, Math.min(x, document.documentElement.clientWidth - size.width - 4))}px`;
    tip.style.top = `${scrollY + (y < 4 ? y + size.height + 24 : y)}px`;
  };
  svg.addEventListener("pointermove", show);
  svg.addEventListener("pointerdown", show);
  svg.addEventListener("pointerleave", hide);

  for (const key of keys) {
    key.setAttribute("role", "button");
    key.setAttribute("tabindex", "0");
    key.setAttribute("aria-pressed", "true");
    const press = () => {
      key.setAttribute("aria-pressed", String(!key.classList.toggle("off")));
      const hidden = keys.filter((k) => k.classList.contains("off")).map((k) => k.dataset.key);
      for (const series of svg.querySelectorAll("[data-series]")) {
        series.classList.toggle("off", series.dataset.series.split(" ").some((k) => hidden.includes(k)));
      }
      hide();
    };
    key.addEventListener("click", press);
    key.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press();
    });
  }

  if (axes.length === 0) return;
  svg.classList.add("brushed");
  const count = document.createElement("p");
  count.className = "legend";
  count.setAttribute("role", "status");
  count.textContent = "Drag along an axis to select lines; click it to select all.";
  svg.after(count);
  const select = () => {
    let selected = 0;
    for (const line of all) {
      const out = axes.some((axis, i) => !isNaN(axis.from) && !(line.heights[i] >= axis.from && line.heights[i] <= axis.to));
      line.part.classList.toggle("off", out);
      selected += out ? 0 : 1;
    }
    count.textContent = `${selected} of ${all.length} lines are selected.`;
  };
  let brushing = null, start = 0;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const pointer = at(event);
    brushing = axes.find((a) => pointer.x > a.left - 6 && pointer.x < a.right + 6 && pointer.y > a.top - 6 && pointer.y < a.bottom + 6) ?? null;
    if (brushing === null) return;
    svg.setPointerCapture(event.pointerId);
    start = pointer.y;
  });
  const brush = (event) => {
    if (brushing === null) return;
    const axis = brushing, y = at(event).y;
    axis.mark?.remove();
    [axis.from, axis.to, axis.mark] = [NaN, NaN, null];
    if (Math.abs(y - start) > 3) {
      [axis.from, axis.to] = [Math.max(axis.top, Math.min(y, start)), Math.min(axis.bottom, Math.max(y, start))];
      axis.mark = shape("rect", { x: axis.left - 3, width: axis.right - axis.left + 6, y: axis.from, height: Math.max(0, axis.to - axis.from), class: "range" });
      svg.append(axis.mark);
    }
    select();
  };
  svg.addEventListener("pointermove", brush);
  svg.addEventListener("pointerup", (event) => {
    brush(event);
    brushing = null;
  });
};
document.querySelectorAll(".picture svg").forEach(interact);
