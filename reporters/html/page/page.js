"use strict";
// Everything on the page can be read without this script. It sorts tables, and
// makes the picture of the blast radius zoom, filter and show the proof of a box
// beside it. It writes text and attributes only, never markup.
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const one = (selector, root = document) => root.querySelector(selector);

  // Tables. Rows are sorted below their head; a second press turns the order.
  const tiers = ["compiler", "exact", "dispatch", "import", "name", "test", "latent"];
  const collator = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => {
    const [x, y] = [tiers.indexOf(a), tiers.indexOf(b)];
    return x >= 0 && y >= 0 ? x - y : collator.compare(a, b);
  };

  function sort(table, head, column) {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    for (const body of table.tBodies) {
      const rows = [...body.rows].filter((row) => !row.classList.contains("head"));
      const keys = new Map(rows.map((row) => [row, row.cells[column].textContent.trim()]));
      rows.sort((a, b) => compare(keys.get(a), keys.get(b)) * (down ? -1 : 1));
      body.append(...rows);
    }
  }

  for (const table of all("table.sorts")) {
    all("thead th", table).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.addEventListener("click", () => sort(table, head, column));
      head.replaceChildren(button);
    });
  }

  // Only what scrolls is a stop of the Tab key.
  const stops = () => {
    for (const part of all(".scroll, .commands, .canvas")) part.tabIndex = part.scrollWidth > part.clientWidth || part.scrollHeight > part.clientHeight ? 0 : -1;
  };
  addEventListener("resize", stops);
  addEventListener("toggle", stops, true);
  stops();

  const picture = one("#radius");
  if (!picture) return;
  const canvas = one(".canvas");
  const number = (element, name) => Number(element.dataset[name] ?? element.getAttribute(name));
  const list = (text) => text.split(" ").filter(Boolean).map(Number);
  const width = picture.viewBox.baseVal.width;
  let height = picture.viewBox.baseVal.height;

  const boxes = all(".box", picture).map((link) => ({
    link, frame: one("svg", link), column: number(link, "column"), tier: link.dataset.tier,
    test: link.classList.contains("test"), reaches: list(link.dataset.reaches), way: list(link.dataset.way),
    proof: document.getElementById(link.getAttribute("href").slice(1)), shown: true,
  }));
  const arrows = all(".arrows .arrow", picture).map((path) => ({ path, from: boxes[number(path, "from")], to: boxes[number(path, "to")] }));
  const [top, pitch] = [number(picture, "top"), number(picture, "pitch")];

  // Filters. The boxes that stay close up, column by column.
  const change = one("#radius-change"), distance = one("#radius-distance"), tests = one("#radius-tests");
  const tierBoxes = all(".controls input[name=tier]");

  function filter() {
    const chosen = change && change.value !== "" ? Number(change.value) : -1;
    const hidden = tierBoxes.filter((box) => !box.checked).map((box) => box.value);
    boxes.forEach((box, n) => {
      box.shown = box.column <= Number(distance.value) && !(box.test && tests && !tests.checked)
        && (box.column === 0 || !hidden.includes(box.tier))
        && (chosen < 0 || n === chosen || box.reaches.includes(chosen));
    });
    place();
    const count = boxes.filter((box) => box.shown).length;
    one("#radius-status").textContent = count === boxes.length ? `All ${count} boxes shown` : `${count} of ${boxes.length} boxes shown`;
    rove(boxes.find((box) => box.shown && box.link.tabIndex === 0) ?? boxes.find((box) => box.shown));
  }

  function place() {
    const rows = [];
    height = top;
    for (const box of boxes) {
      box.link.style.display = box.shown ? "" : "none";
      if (!box.shown) continue;
      const row = rows[box.column] = (rows[box.column] ?? -1) + 1;
      box.y = top + row * pitch;
      box.frame.setAttribute("y", box.y);
      height = Math.max(height, box.y + pitch);
    }
    for (const arrow of arrows) {
      const shown = arrow.from.shown && arrow.to.shown;
      arrow.path.style.display = shown ? "" : "none";
      if (shown) arrow.path.setAttribute("d", curve(arrow.from, arrow.to));
    }
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    zoom(scale);
  }

  function curve(from, to) {
    const side = number(from.frame, "width"), middle = number(from.frame, "height") / 2;
    const [a, b] = [number(from.frame, "x"), number(to.frame, "x")], bend = 28;
    const [y1, y2] = [from.y + middle, to.y + middle];
    if (from.column === to.column) return `M${a} ${y1}C${a - bend} ${y1} ${b - bend} ${y2} ${b} ${y2}`;
    if (from.column < to.column) return `M${a + side} ${y1}C${a + side + bend} ${y1} ${b - bend} ${y2} ${b} ${y2}`;
    return `M${a} ${y1}C${a - bend} ${y1} ${b + side + bend} ${y2} ${b + side} ${y2}`;
  }

  // Zoom and pan. The picture grows inside a box that scrolls, so that keys,
  // touch and wheel do what they do everywhere; Ctrl and the wheel zoom.
  let scale = 1;
  const room = () => (canvas.clientWidth - 16) / width;

  function zoom(to, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) {
    to = Math.min(4, Math.max(0.2, to));
    const [left, above] = [(canvas.scrollLeft + x) / scale, (canvas.scrollTop + y) / scale];
    scale = to;
    picture.setAttribute("width", width * scale);
    picture.setAttribute("height", height * scale);
    canvas.scrollTo({ left: left * scale - x, top: above * scale - y, behavior: "instant" });
    stops();
    one("#radius-zoom").textContent = `${Math.round(scale * 100)} %`;
  }

  function step(direction) {
    zoom(direction === 0 ? Math.min(1, room()) : scale * (direction > 0 ? 1.25 : 0.8));
  }

  for (const button of all(".zoom button")) button.addEventListener("click", () => step(number(button, "zoom")));
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const frame = canvas.getBoundingClientRect();
    zoom(scale * Math.exp(-event.deltaY / 400), event.clientX - frame.left, event.clientY - frame.top);
  }, { passive: false });

  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "mouse" || event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, left: canvas.scrollLeft, top: canvas.scrollTop, moved: false };
  });
  addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    drag.moved ||= Math.hypot(x, y) > 4;
    canvas.classList.toggle("drags", drag.moved);
    if (drag.moved) canvas.scrollTo({ left: drag.left - x, top: drag.top - y, behavior: "instant" });
  });
  let moved = false; // the click that ends a drag chooses nothing
  addEventListener("pointerup", () => {
    moved = Boolean(drag && drag.moved);
    drag = null;
    canvas.classList.remove("drags");
  });
  canvas.addEventListener("dragstart", (event) => event.preventDefault());

  // Boxes. One of them is a stop of the Tab key, the arrow keys move on.
  function rove(box) {
    for (const other of boxes) other.link.setAttribute("tabindex", other === box ? "0" : "-1");
  }

  function light(box) {
    picture.classList.toggle("lit", Boolean(box));
    for (const arrow of arrows) {
      const on = box && (box.way.length === 0 ? arrow.to === box
        : box.way.some((n, i) => arrow.from === boxes[n] && arrow.to === boxes[box.way[i + 1]]));
      arrow.path.classList.toggle("on", Boolean(on));
    }
  }

  function open(box) {
    for (const other of boxes) {
      other.link.classList.toggle("chosen", other === box);
      other.proof.classList.toggle("open", other === box);
    }
    light(box);
    if (!box) return;
    rove(box);
    box.proof.focus({ preventScroll: true });
    one(".proofs").scrollTop = 0;
    one("h3", box.proof).scrollIntoView({ block: "nearest" });
    box.link.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function next(box, key) {
    const shown = boxes.filter((other) => other.shown);
    const column = shown.filter((other) => other.column === box.column);
    const side = (columns) => columns.length === 0 ? null : columns.reduce((a, b) => Math.abs(b.y - box.y) < Math.abs(a.y - box.y) ? b : a);
    const beside = (direction) => {
      for (let c = box.column + direction; c >= 0 && c <= Number(distance.value); c += direction) {
        const found = side(shown.filter((other) => other.column === c));
        if (found) return found;
      }
      return null;
    };
    switch (key) {
      case "ArrowUp": return column[column.indexOf(box) - 1];
      case "ArrowDown": return column[column.indexOf(box) + 1];
      case "ArrowLeft": return beside(-1);
      case "ArrowRight": return beside(1);
      case "Home": return shown[0];
      case "End": return shown[shown.length - 1];
    }
    return null;
  }

  for (const box of boxes) {
    box.link.addEventListener("click", (event) => {
      event.preventDefault();
      if (!moved) open(box);
    });
    box.link.addEventListener("focus", () => light(box));
    box.link.addEventListener("pointerenter", () => light(box));
    box.link.addEventListener("pointerleave", () => light(boxes.find((other) => other.link.classList.contains("chosen"))));
    box.link.addEventListener("keydown", (event) => {
      const to = next(box, event.key);
      if (!to) return;
      event.preventDefault();
      rove(to);
      to.link.focus();
    });
  }
  for (const link of all(".proof a")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      open(boxes.find((box) => box.link.getAttribute("href") === link.getAttribute("href")));
    });
  }
  one(".stage").addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const chosen = boxes.find((box) => box.link.classList.contains("chosen"));
    if (event.key === "Escape" && chosen) {
      open(null);
      chosen.link.focus();
    } else if (event.key === "+" || event.key === "=") step(1);
    else if (event.key === "-") step(-1);
    else if (event.key === "0") step(0);
  });

  for (const control of all(".controls select, .controls input")) control.addEventListener("change", filter);
  for (const element of all(".controls, .keys")) element.hidden = false;
  scale = 1;
  filter();
  if (room() < 1 && room() > 0.75) step(0);
})();
