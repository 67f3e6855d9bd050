// The board of a review: steps through the game and marks the best and the played move. Moves and names are untrusted,
// so they are only set through textContent.
"use strict";

(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const $ = (id) => document.getElementById(id);
  const source = $("review-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);
  const positions = JouteScene.decode(data.boards, data.positions);
  const last = positions.length - 1;
  let ply = 0;

  function element(name, attributes) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // A mark of a move: an arrow from its source to its target, or a ring on its target.
  function mark(place, kind) {
    const group = element("g", { class: `mark ${kind}` });
    const [x, y, fromX, fromY] = place;
    if (fromX === undefined) {
      group.append(element("circle", { cx: x, cy: y, r: 0.3 }));
      return group;
    }
    const length = Math.hypot(x - fromX, y - fromY) || 1;
    const [dx, dy] = [(x - fromX) / length, (y - fromY) / length];
    const tip = 0.28;
    const tail = [x - tip * dx, y - tip * dy];
    group.append(
      element("line", { x1: fromX, y1: fromY, x2: tail[0], y2: tail[1] }),
      element("polygon", {
        class: "tip",
        points: [[x, y], [tail[0] - 0.16 * dy, tail[1] + 0.16 * dx], [tail[0] + 0.16 * dy, tail[1] - 0.16 * dx]]
          .map((point) => point.join(","))
          .join(" "),
      }),
    );
    return group;
  }

  function drawMarks() {
    const marks = data.marks[ply];
    if (!marks || !$("viewer-marks").checked) return;
    const [best, played] = marks;
    if (played) $("viewer-board").append(mark(played, `played ${data.kinds[ply]}`));
    if (best) $("viewer-board").append(mark(best, "k-best"));
  }

  function show(wanted) {
    ply = Math.max(0, Math.min(last, wanted));
    const title = JouteScene.draw($("viewer-board"), data.boards, positions[ply]);
    drawMarks();
    $("viewer-status").textContent = data.words[ply] ? `${title}. ${data.words[ply]}` : title;
    $("viewer-slider").value = ply;
    $("viewer-slider").setAttribute("aria-valuetext", title);
    $("viewer-ply").textContent = `${ply} / ${data.moves}`;
    JouteChart.mark($("values-chart"), ply, data.moves);
    for (const id of ["viewer-start-button", "viewer-back"]) $(id).disabled = ply <= 0;
    for (const id of ["viewer-on", "viewer-end"]) $(id).disabled = ply >= last;
    $("viewer-next").disabled = !data.bad.length;
    const box = $("moves-box");
    [...$("moves-body").rows].forEach((row, at) => {
      if (at !== ply) return row.removeAttribute("aria-current");
      row.setAttribute("aria-current", "true");
      // Not scrollIntoView, which would scroll the page as well.
      const head = $("moves-head").offsetHeight;
      if (row.offsetTop - head < box.scrollTop) box.scrollTop = row.offsetTop - head;
      const below = row.offsetTop + row.offsetHeight - box.clientHeight;
      if (below > box.scrollTop) box.scrollTop = below;
    });
  }

  // The next bad move after this position, or the first one.
  function nextBad() {
    show(data.bad.find((index) => index > ply) ?? data.bad[0]);
  }

  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (event.target.closest("select, .scroll, input:not(#viewer-slider):not(#viewer-marks)")) return;
    const box = $("viewer").getBoundingClientRect();
    if (box.bottom < 0 || box.top > innerHeight) return;
    const wanted = { ArrowLeft: ply - 1, ArrowRight: ply + 1 }[event.key];
    if (wanted === undefined) return;
    show(wanted);
    event.preventDefault();
  }

  if (last >= 0) {
    $("board-part").hidden = false;
    $("viewer-slider").max = last;
    $("viewer-slider").addEventListener("input", () => show(Number($("viewer-slider").value)));
    $("viewer-start-button").addEventListener("click", () => show(0));
    $("viewer-back").addEventListener("click", () => show(ply - 1));
    $("viewer-on").addEventListener("click", () => show(ply + 1));
    $("viewer-end").addEventListener("click", () => show(last));
    $("viewer-next").addEventListener("click", nextBad);
    $("viewer-marks").addEventListener("change", () => show(ply));
    $("values-chart").addEventListener("click", (event) => {
      show(JouteChart.plyAt($("values-chart"), event.clientX, data.moves));
    });
    [...$("moves-body").rows].forEach((row) => {
      row.querySelector("button").addEventListener("click", () => show(Number(row.dataset.move)));
    });
    document.addEventListener("keydown", onKey);
    show(0);
  }
  document.documentElement.dataset.ready = "yes"; // browser tests wait for this
})();
