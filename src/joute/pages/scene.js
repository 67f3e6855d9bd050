// Draws scenes (src/joute/games/scene.py) of any game from data; pages/boards.py describes the format.
"use strict";

const JouteScene = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const XML = "http://www.w3.org/XML/1998/namespace"; // of xml:space, which has no effect outside it
  const RING = "#ffffff";
  const CASING = "#10151b";
  const INK = "#1f2933";

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttributeNS(key.startsWith("xml:") ? XML : null, key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const rounded = (number) => Math.round(number * 1e4) / 1e4;

  const stroke = (colour, width) =>
    colour ? { stroke: colour, "stroke-width": rounded(width), "stroke-linejoin": "round" } : {};

  // A shape, with the ring of the last move around it if it is highlighted.
  function ringed(name, outline, paint, highlight, scale = 1) {
    const shape = element(name, { ...outline, ...paint });
    if (!highlight) return shape;
    const group = element("g", {});
    const ring = (colour, width) => element(name, { ...outline, fill: "none", ...stroke(colour, width / scale) });
    group.append(shape, ring(CASING, 0.13), ring(RING, 0.07));
    return group;
  }

  // The fields of each kind of shape, in the order of its class in scene.py and with the same defaults.
  const DRAW = {
    Rect: (x, y, width, height, fill, radius = 0, highlight = false, edge = "", edgeWidth = 0.04) =>
      ringed("rect", { x, y, width, height, rx: radius }, { fill, ...stroke(edge, edgeWidth) }, highlight),
    Disc: (cx, cy, r, fill, highlight = false, edge = "", edgeWidth = 0.04) =>
      ringed("circle", { cx, cy, r }, { fill, ...stroke(edge, edgeWidth) }, highlight),
    Path: (d, fill, x = 0, y = 0, scale = 1, edge = "", edgeWidth = 0.04, opacity = 1, highlight = false) => {
      const size = scale === 1 ? "" : ` scale(${scale})`;
      const outline = { d, ...((x || y || size) && { transform: `translate(${x} ${y})${size}` }) };
      const look = { fill, "fill-rule": "evenodd", ...stroke(edge, edgeWidth / scale), ...(opacity !== 1 && { opacity }) };
      return ringed("path", outline, look, highlight, scale);
    },
    Pile: (x, y, r, fill, height, highlight = false, side = INK, ink = INK) => {
      const pile = element("g", {});
      const rise = 0.22 * r;
      const base = y + (rise * (height - 1)) / 2;
      const top = base - rise * (height - 1);
      for (let level = 0; level < height - 1; level++) {
        pile.append(DRAW.Disc(x, base - rise * level, r, side, false, INK, 0.03));
      }
      pile.append(DRAW.Disc(x, top, r, fill, highlight, INK, 0.03), DRAW.Disc(x, top, 0.78 * r, "none", false, side, 0.035));
      if (height > 1) pile.append(DRAW.Label(x, top, height, 1.15 * r, ink, true, false, true));
      return pile;
    },
    Label: (x, y, text, size = 0.4, fill = INK, centred = true, monospace = false, bold = false) =>
      element("text", {
        x, y, fill,
        "font-size": size,
        "font-family": monospace ? "monospace" : "sans-serif",
        "dominant-baseline": "central",
        "xml:space": "preserve",
        ...(bold && { "font-weight": "bold" }),
        ...(centred && { "text-anchor": "middle" }),
      }, text),
  };

  // Decodes the positions of a game, each a frame and the numbers of its shapes.
  function decode(boards, positions) {
    let shapes = boards.base;
    return positions.map(([frame, ...edits]) => {
      shapes = shapes.slice();
      for (const [start, removed, ...added] of edits.reverse()) shapes.splice(start, removed, ...added);
      return { frame, shapes };
    });
  }

  // Whether a shape lies behind a point. A label without one is on the background, which is dark in the dark theme.
  function covers([kind, x, y, ...size], px, py) {
    if (kind === "Label" || kind === "Path") return false;
    if (kind === "Rect") return size[2] !== "none" && px >= x && px <= x + size[0] && py >= y && py <= y + size[1];
    return size[1] !== "none" && Math.hypot(px - x, py - y) <= size[0];
  }

  // Draws a position into an SVG element and returns its title. Pieces have their keys as `data-key`, if the data has.
  function draw(svg, boards, position) {
    const [width, height, title] = boards.frames[position.frame];
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", title);
    const drawn = position.shapes.map((number) => boards.shapes[number]);
    svg.replaceChildren(
      ...drawn.map(([kind, ...fields], index) => {
        const made = DRAW[kind](...fields);
        const isFree = kind === "Label" && !drawn.slice(0, index).some((shape) => covers(shape, fields[0], fields[1]));
        if (isFree) made.setAttribute("class", "free");
        const key = boards.keys && boards.keys[position.shapes[index]];
        if (key) made.setAttribute("data-key", key);
        return made;
      }),
    );
    return title;
  }

  // --- Over a scene. An area is [x, y, width, height]. ---

  const middle = ([x, y, width = 0, height = 0]) => [x + width / 2, y + height / 2];

  // A ring on an area: a circle, or a frame around an area that is long or wide.
  function ring(area, kind = "") {
    const [x, y, width, height] = area;
    const group = element("g", { class: `mark ring ${kind}` });
    const [cx, cy] = middle(area);
    const isRound = Math.max(width, height) < 1.5 * Math.min(width, height);
    group.append(
      isRound
        ? element("circle", { cx, cy, r: Math.min(0.3, 0.4 * width) })
        : element("rect", { x, y, width, height, rx: Math.min(0.1, width / 2, height / 2) }),
    );
    return group;
  }

  // An arrow between the middles of two areas.
  function arrow(from, to, kind = "") {
    const group = element("g", { class: `mark arrow ${kind}` });
    const [[fromX, fromY], [x, y]] = [middle(from), middle(to)];
    const length = Math.hypot(x - fromX, y - fromY) || 1;
    const [dx, dy] = [(x - fromX) / length, (y - fromY) / length];
    const tip = 0.28;
    const tail = [x - tip * dx, y - tip * dy];
    const points = [[x, y], [tail[0] - 0.16 * dy, tail[1] + 0.16 * dx], [tail[0] + 0.16 * dy, tail[1] - 0.16 * dx]];
    group.append(
      element("line", { x1: fromX, y1: fromY, x2: tail[0], y2: tail[1] }),
      element("polygon", { class: "tip", points: points.map((point) => point.join(",")).join(" ") }),
    );
    return group;
  }

  // The mark of a move: an arrow from where it begins to where it ends, or a ring if it begins nowhere. The style sheet
  // gives `.mark` its colour; `kind` is a class.
  function mark(ends, begins, kind = "") {
    return begins ? arrow(begins, ends, kind) : ring(ends, kind);
  }

  // A highlighted area.
  function highlight([x, y, width, height], kind = "") {
    return element("rect", { class: `mark cell ${kind}`, x, y, width, height, rx: 0.12 });
  }

  // Slides the pieces that are drawn on an area from another area to it. Nothing moves for people who prefer that.
  function slide(svg, from, to, duration = 250) {
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [x, y, width, height] = to;
    const [dx, dy] = middle(from).map((place, axis) => place - middle(to)[axis]);
    for (const piece of svg.querySelectorAll("[data-key]")) {
      const box = piece.getBBox();
      const moved = piece.transform.baseVal.consolidate();
      const { a = 1, e = 0, f = 0 } = moved ? moved.matrix : {};
      const [cx, cy] = [a * (box.x + box.width / 2) + e, a * (box.y + box.height / 2) + f];
      if (cx < x || cx > x + width || cy < y || cy > y + height) continue;
      // A wrapper, because an animated transform replaces the transform of the piece itself.
      const wrapper = element("g", {});
      piece.replaceWith(wrapper);
      wrapper.append(piece);
      wrapper.animate([{ transform: `translate(${dx}px, ${dy}px)` }, { transform: "none" }], { duration, easing: "ease" });
    }
  }

  // A small coloured disc for a line of text.
  function disc(fill) {
    const made = element("svg", { class: "disc", viewBox: "0 0 10 10", "aria-hidden": "true" });
    made.append(element("circle", { cx: 5, cy: 5, r: 4.5, fill }));
    return made;
  }

  return { arrow, decode, disc, draw, highlight, kinds: Object.keys(DRAW), mark, ring, slide };
})();
