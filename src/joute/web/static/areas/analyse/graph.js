// The graph of the win probability over the game. Positions without a probability leave a gap.

import { h, s, show } from "../../lib/dom.js";
import { labelled, percent, t } from "../../lib/i18n.js";

const [WIDTH, HEIGHT] = [1000, 200];

export const isBad = (judged) => judged && !["best", "good"].includes(judged.class);
export const cssOf = (kind) => `k-${kind.replaceAll(" ", "-")}`;

export class Graph {
  #points = [];

  // onGo(node) is called when somebody clicks on a position.
  constructor(onGo) {
    this.svg = s("svg", { class: "win-graph", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img" });
    this.element = h("div", { class: "graph-box", hidden: true }, h("span", { class: "axis", "aria-hidden": "true" }, h("i", {}, "100%"), h("i", {}, "50%"), h("i", {}, "0%")), this.svg);
    this.svg.addEventListener("click", (event) => {
      const box = this.svg.getBoundingClientRect();
      const at = Math.round(((this.#points.length - 1) * (event.clientX - box.left)) / box.width);
      onGo(this.#points[Math.max(0, Math.min(this.#points.length - 1, at))]);
    });
  }

  // Draws the positions of a line, and marks one.
  draw(nodes, current) {
    this.#points = nodes;
    const last = Math.max(1, nodes.length - 1);
    const x = (at) => (WIDTH * at) / last;
    const y = (chance) => 3 + (HEIGHT - 6) * (1 - chance);
    const known = nodes.map((node, at) => [at, node.chance]).filter(([, chance]) => chance !== null);
    this.element.hidden = known.length < 2;
    if (known.length < 2) return;
    const places = known.map(([at, chance]) => `${x(at).toFixed(1)},${y(chance).toFixed(1)}`);
    const area = `${x(known[0][0]).toFixed(1)},${HEIGHT} ${places.join(" ")} ${x(known.at(-1)[0]).toFixed(1)},${HEIGHT}`;
    const dots = nodes.flatMap((node, at) =>
      isBad(node.judged) && node.chance !== null
        ? [s("path", { class: `dot ${cssOf(node.judged.class)}`, d: `M${x(at).toFixed(1)},${y(node.chance).toFixed(1)}h0` },
          s("title", {}, labelled(node.token, t(`analyse.class_${node.judged.class.replaceAll(" ", "_")}`))))]
        : []);
    const now = nodes.indexOf(current);
    show(this.svg,
      s("polygon", { class: "area", points: area }),
      s("line", { class: "middle", x1: 0, x2: WIDTH, y1: HEIGHT / 2, y2: HEIGHT / 2 }),
      s("polyline", { class: "line", points: places.join(" ") }),
      dots,
      now >= 0 && s("line", { class: "now", x1: x(now), x2: x(now), y1: 0, y2: HEIGHT }));
    const chances = known.map(([, chance]) => percent(chance));
    this.svg.setAttribute("aria-label", t("analyse.graph_label", { first: chances[0], last: chances.at(-1) }));
  }
}
