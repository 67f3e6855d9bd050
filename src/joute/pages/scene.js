// Draws scenes (src/joute/games/scene.py) of any game from data; pages/boards.py describes the format.
"use strict";

const JouteScene = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const RING = "#ffffff";
  const INK = "#1f2933";

  function element(name, attributes, text) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const label = (x, y, text, size, fill, centred, monospace) =>
    element("text", {
      x, y, fill,
      "font-size": size,
      "font-family": monospace ? "monospace" : "sans-serif",
      "dominant-baseline": "central",
      "xml:space": "preserve",
      ...(centred && { "text-anchor": "middle" }),
    }, text);

  // The fields of each kind of shape, in the order of its class in scene.py.
  const DRAW = {
    Rect: (x, y, width, height, fill, radius) => element("rect", { x, y, width, height, rx: radius, fill }),
    Disc: (cx, cy, r, fill, highlight) =>
      element("circle", { cx, cy, r, fill, ...(highlight && { stroke: RING, "stroke-width": 0.07 }) }),
    Pile: (cx, y, r, fill, height, highlight) => {
      const pile = element("g", {});
      const rise = 0.2 * r;
      const base = y + (rise * (height - 1)) / 2;
      for (let level = 0; level < height; level++) {
        const ringed = highlight && level === height - 1;
        const edge = { stroke: ringed ? RING : INK, "stroke-width": ringed ? 0.07 : 0.03 };
        pile.append(element("circle", { cx, cy: base - rise * level, r, fill, ...edge }));
      }
      if (height > 1) pile.append(label(cx, base - rise * (height - 1), height, 1.2 * r, INK, true, false));
      return pile;
    },
    Label: label,
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
    if (kind === "Rect") return px >= x && px <= x + size[0] && py >= y && py <= y + size[1];
    return kind !== "Label" && Math.hypot(px - x, py - y) <= size[0];
  }

  // Draws a position into an SVG element and returns its title.
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
        return made;
      }),
    );
    return title;
  }

  // A small coloured disc for a line of text.
  function disc(fill) {
    const made = element("svg", { class: "disc", viewBox: "0 0 10 10", "aria-hidden": "true" });
    made.append(element("circle", { cx: 5, cy: 5, r: 4.5, fill }));
    return made;
  }

  return { decode, disc, draw, kinds: Object.keys(DRAW) };
})();
