// The chart of the values that both agents reported during a game, from the first player's view.
"use strict";

const JouteChart = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const WIDTH = 1000;
  const HEIGHT = 200;

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // A value as a number: "win" and "loss" are decided values, and infinities are texts, since JSON has none.
  function number(value) {
    if (typeof value === "number") return value;
    return { win: Infinity, "∞": Infinity, loss: -Infinity, "−∞": -Infinity }[value];
  }

  // The points of a player as [ply, height from -1 to 1]; up is good for the first player. Shares of the points have ½
  // in the middle. Other values have 0 there, and the largest one of the game at the edge.
  function points(game, player, isShare) {
    const stated = game.value
      .map((value, at) => [at + 1, number(value)])
      .filter(([ply, value]) => game.players[ply - 1] === player && value !== undefined);
    const finite = stated.map(([, value]) => Math.abs(value)).filter(Number.isFinite);
    const largest = Math.max(...finite, 0) || 1;
    const height = (value) => {
      if (!Number.isFinite(value)) return Math.sign(value);
      return isShare ? 2 * value - 1 : value / largest;
    };
    return stated.map(([ply, value]) => [ply, (player === 0 ? 1 : -1) * height(value)]);
  }

  // Draws the lines of both players and returns the players that have one. `shares` says whose values are shares.
  function draw(svg, game, shares) {
    const last = Math.max(1, game.moves.length);
    const x = (ply) => (WIDTH * ply) / last;
    const y = (height) => (HEIGHT * (1 - 0.94 * height)) / 2;
    const lines = [0, 1].map((player) => (game.value ? points(game, player, shares[player]) : []));
    svg.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
    svg.setAttribute("preserveAspectRatio", "none");
    svg.replaceChildren(
      element("line", { class: "grid zero", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      ...lines.flatMap((line, player) => {
        const place = line.map(([ply, height]) => [x(ply).toFixed(1), y(height).toFixed(1)]);
        const path = element("polyline", { class: `line s${player}`, points: place.map((at) => at.join(",")).join(" ") });
        // A line of one point is a dot: the stroke of a path without length, with round ends.
        return place.length === 1 ? [element("path", { class: `line dot-line s${player}`, d: `M${place[0]}h0` })] : [path];
      }),
      element("line", { class: "now", x1: 0, x2: 0, y1: 0, y2: HEIGHT }),
    );
    return [0, 1].filter((player) => lines[player].length);
  }

  // Moves the mark of the shown position.
  function mark(svg, ply, plies) {
    const line = svg.querySelector(".now");
    const x = (WIDTH * ply) / Math.max(1, plies);
    if (line) ["x1", "x2"].forEach((name) => line.setAttribute(name, x));
  }

  // The ply at a horizontal position of the pointer.
  function plyAt(svg, clientX, plies) {
    const box = svg.getBoundingClientRect();
    return Math.round((plies * (clientX - box.left)) / box.width);
  }

  return { draw, mark, plyAt, points };
})();
