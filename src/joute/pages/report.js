// The games of a report: a list with filters, and a viewer that replays one. Names, moves and outputs are untrusted, so
// they are only set through textContent and attributes, never as HTML.
"use strict";

(() => {
  const ROWS_A_PAGE = 50;
  const STEP_MS = 700;
  const RESULTS = { "1": "1–0", "0": "½–½", "-1": "0–1" };

  const $ = (id) => document.getElementById(id);
  const source = $("games-data");
  if (!source) return;
  const data = JSON.parse(source.textContent);

  let list; // the columns of the list of games, see report/games.py
  let boards; // shapes and frames of all positions
  let rows = []; // the games that pass the filters, as indices into the columns
  let page = 0;
  let game; // the open one: {index, moves, positions, …}
  let ply = 0;
  let timer = 0;
  const packs = new Map();

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).json();
  }

  function node(name, text, attributes = {}) {
    const made = document.createElement(name);
    if (text !== undefined) made.textContent = text;
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  // --- The list ---

  function fillFilters() {
    list.agents.forEach((name, index) => $("filter-agent").append(node("option", name, { value: index })));
    list.agents.forEach((name, index) => $("filter-opponent").append(node("option", name, { value: index })));
    list.reasons.forEach((reason, index) => $("filter-reason").append(node("option", reason, { value: index })));
  }

  // The results in the filter are those of the chosen agent, or of the first player if none is chosen.
  function fillResults() {
    const select = $("filter-result");
    const chosen = select.value;
    const names = $("filter-agent").value === "" ? ["first wins", "draw", "second wins"] : ["won", "drawn", "lost"];
    select.replaceChildren(node("option", "any", { value: "" }));
    names.forEach((name, index) => select.append(node("option", name, { value: 1 - index })));
    select.value = chosen;
  }

  function filter() {
    const [agent, opponent, result, reason] = ["agent", "opponent", "result", "reason"].map((name) => {
      const value = $(`filter-${name}`).value;
      return value === "" ? null : Number(value);
    });
    const passes = (index) => {
      const first = list.first[index];
      const second = list.second[index];
      const isIn = (wanted) => wanted === null || first === wanted || second === wanted;
      if (!isIn(agent) || !isIn(opponent) || (agent !== null && agent === opponent)) return false;
      if (reason !== null && list.reason[index] !== reason) return false;
      const outcome = agent !== null && second === agent ? -list.outcome[index] : list.outcome[index];
      return result === null || outcome === result;
    };
    rows = list.number.map((_, index) => index).filter(passes);
    page = 0;
    showList();
  }

  // Whether two games are a pair with swapped colours, whose opening the list shows once.
  function isSamePair(one, other) {
    return (
      list.opening[one] === list.opening[other] &&
      list.first[one] === list.second[other] &&
      list.second[one] === list.first[other]
    );
  }

  function showList() {
    const pages = Math.max(1, Math.ceil(rows.length / ROWS_A_PAGE));
    const from = page * ROWS_A_PAGE;
    const shown = rows.slice(from, from + ROWS_A_PAGE);
    $("games-body").replaceChildren(
      ...shown.map((index, place) => {
        const row = node("tr");
        const opening = place && isSamePair(index, shown[place - 1]) ? "" : list.openings[list.opening[index]];
        const number = list.number[index];
        if (game && game.index === index) row.setAttribute("aria-current", "true");
        const link = node("td", undefined, { class: "number" });
        link.append(node("a", String(number), { href: `#game-${number}` }));
        row.append(
          link,
          node("td", list.agents[list.first[index]], { class: list.outcome[index] === 1 ? "name won" : "name" }),
          node("td", list.agents[list.second[index]], { class: list.outcome[index] === -1 ? "name won" : "name" }),
          node("td", RESULTS[list.outcome[index]], { class: "middle" }),
          node("td", list.reasons[list.reason[index]]),
          node("td", String(list.plies[index]), { class: "number" }),
          node("td", opening, { class: "opening" }),
        );
        row.addEventListener("click", (event) => {
          if (location.hash === `#game-${number}`) openLinked(); // scrolls back to the open game
          else if (event.target.tagName !== "A") location.hash = `game-${number}`;
        });
        return row;
      }),
    );
    const last = Math.min(from + ROWS_A_PAGE, rows.length);
    $("games-count").textContent = rows.length
      ? `${from + 1}–${last} of ${rows.length} game${rows.length === 1 ? "" : "s"}`
      : "No game passes these filters.";
    $("games-back").disabled = page === 0;
    $("games-on").disabled = page >= pages - 1;
  }

  // --- The viewer ---

  async function open(index, { focus }) {
    pause();
    const number = Math.floor(index / data.pack);
    if (!packs.has(number)) packs.set(number, unpack(data.packs[number]));
    const kept = (await packs.get(number))[index % data.pack];
    game = { ...kept, index, positions: JouteScene.decode(boards, kept.positions) };
    const names = [list.agents[list.first[index]], list.agents[list.second[index]]];
    $("viewer-title").textContent = `Game ${list.number[index]}`;
    $("viewer-first").replaceChildren(names[0], " ", seat(0));
    $("viewer-second").replaceChildren(names[1], " ", seat(1));
    $("viewer-score").textContent = RESULTS[list.outcome[index]];
    $("viewer-ending").textContent = game.ending;
    $("viewer-start").textContent = list.openings[list.opening[index]] || "the start of the game";
    const last = game.positions.length - 1;
    $("viewer-slider").max = Math.max(0, last);
    $("viewer-missing").hidden = last >= game.moves.length;
    showMoves(names);
    showCrash(names);
    showOutput(names);
    showValues(names);
    showPly(0);
    showList();
    $("viewer").hidden = false;
    if (focus) {
      $("viewer").scrollIntoView({ block: "start" });
      $("viewer-slider").focus({ preventScroll: true });
    }
  }

  // A player's side: a disc of its colour, if the drawing has one, and its name in the game.
  function seat(player) {
    const made = node("span", undefined, { class: "seat" });
    const colour = data.colours[player];
    if (colour) made.append(JouteScene.disc(colour));
    made.append(data.players[player]);
    return made;
  }

  function quantity(value) {
    return value === null || value === undefined ? "" : typeof value === "number" ? value.toLocaleString("en") : value;
  }

  function time(ms) {
    if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`;
    return ms >= 1 ? `${ms.toFixed(1)} ms` : `${Math.round(ms * 1000)} µs`;
  }

  // Columns without data are left out.
  function showMoves(names) {
    const columns = [
      ["ply", (at) => game.ply + at + 1, "number"],
      ["player", (at) => seat(game.players[at]), ""],
      ["move", (at) => game.moves[at], "move"],
      ["chance", game.chance && ((at) => game.chance[at]), ""],
      ["time", (at) => time(game.time_ms[at]), "number"],
      ["value", game.value && ((at) => quantity(game.value[at])), "number"],
      ["depth", game.depth && ((at) => quantity(game.depth[at])), "number"],
      ["nodes", game.nodes && ((at) => quantity(game.nodes[at])), "number"],
      ["expected line", game.pv && ((at) => game.pv[at]), "pv"],
    ].filter(([, cell]) => cell);
    const head = node("tr");
    columns.forEach(([name, , kind]) => head.append(node("th", name, { scope: "col", class: kind })));
    $("moves-head").replaceChildren(head);
    $("moves-body").replaceChildren(
      ...game.moves.map((_, at) => {
        const row = node("tr", undefined, { title: `${names[game.players[at]]} plays ${game.moves[at]}` });
        columns.forEach(([name, cell, kind]) => {
          const shown = node("td", undefined, { class: kind });
          if (name === "move") {
            const button = node("button", cell(at), { type: "button", "aria-label": `position after ply ${game.ply + at + 1}, ${cell(at)}` });
            button.addEventListener("click", () => showPly(at + 1));
            shown.append(button);
          } else shown.append(cell(at));
          row.append(shown);
        });
        return row;
      }),
    );
  }

  // The traceback of an agent that failed, or the last lines that it wrote.
  function showCrash(names) {
    const parts = [];
    (game.crash || []).forEach((text, player) => {
      if (!text) return;
      const details = node("details", undefined, { class: "crash", open: "" });
      const what = text.startsWith("Traceback") ? "traceback of" : "last words of";
      details.append(node("summary", `${what} ${names[player]}`), node("pre", text));
      parts.push(details);
    });
    $("viewer-crash").replaceChildren(...parts);
  }

  function showValues(names) {
    const shares = [list.shares[list.first[game.index]], list.shares[list.second[game.index]]];
    const told = JouteChart.draw($("values-chart"), game, shares);
    $("viewer-values").hidden = !told.length;
    $("values-legend").replaceChildren(
      ...told.map((player) => {
        const item = node("li", undefined, { class: `key-line s${player}` });
        item.append(names[player]);
        return item;
      }),
    );
  }

  function showOutput(names) {
    const parts = [];
    (game.output || []).forEach((text, player) => {
      if (!text) return;
      const details = node("details");
      details.append(node("summary", `what ${names[player]} wrote`), node("pre", text));
      parts.push(details);
    });
    $("viewer-output").replaceChildren(...parts);
  }

  function showPly(wanted) {
    const last = game.positions.length - 1;
    ply = Math.max(0, Math.min(last, wanted));
    $("viewer-board-box").hidden = last < 0;
    if (last >= 0) {
      const title = JouteScene.draw($("viewer-board"), boards, game.positions[ply]);
      $("viewer-status").textContent = title;
      $("viewer-slider").setAttribute("aria-valuetext", title);
    }
    $("viewer-slider").value = ply;
    JouteChart.mark($("values-chart"), ply, game.moves.length);
    $("viewer-ply").textContent = `${ply} / ${game.moves.length}`;
    for (const id of ["viewer-start-button", "viewer-back"]) $(id).disabled = ply <= 0;
    for (const id of ["viewer-on", "viewer-end"]) $(id).disabled = ply >= last;
    const box = $("moves-box");
    [...$("moves-body").rows].forEach((row, at) => {
      if (at !== ply - 1) return row.removeAttribute("aria-current");
      row.setAttribute("aria-current", "true");
      // Not scrollIntoView, which would scroll the page as well.
      const head = $("moves-head").offsetHeight;
      if (row.offsetTop - head < box.scrollTop) box.scrollTop = row.offsetTop - head;
      const below = row.offsetTop + row.offsetHeight - box.clientHeight;
      if (below > box.scrollTop) box.scrollTop = below;
    });
    if (ply === 0) box.scrollTop = 0;
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    $("viewer-play").textContent = "Play";
    $("viewer-play").setAttribute("aria-pressed", "false");
  }

  function play() {
    if (timer) return pause();
    if (ply >= game.positions.length - 1) showPly(0);
    $("viewer-play").textContent = "Pause";
    $("viewer-play").setAttribute("aria-pressed", "true");
    timer = setInterval(() => {
      showPly(ply + 1);
      if (ply >= game.positions.length - 1) pause();
    }, STEP_MS);
  }

  function step(wanted) {
    pause();
    showPly(wanted);
  }

  // Arrow keys step through the game while the board is visible, unless the focused element uses them.
  function onKey(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey || !game) return;
    const target = event.target;
    if (target.closest("select, .scroll, input:not(#viewer-slider)")) return;
    const box = $("viewer").getBoundingClientRect();
    if (box.bottom < 0 || box.top > innerHeight) return;
    const wanted = { ArrowLeft: ply - 1, ArrowRight: ply + 1 }[event.key];
    const ends = { Home: 0, End: game.positions.length - 1 }[event.key];
    if (wanted !== undefined) step(wanted);
    else if (ends !== undefined && target.closest("#viewer")) step(ends);
    else return;
    event.preventDefault();
  }

  function tell(message) {
    $("games-message").hidden = !message;
    $("games-message").textContent = message;
  }

  // The game that was open before a live page loaded itself again, or the first one.
  function firstShown() {
    const [number] = JoutePage.kept.shown || [];
    return Math.max(0, list.number.indexOf(number));
  }

  // Opens the game in the address's hash, or the first game when a page is opened without one.
  async function openLinked() {
    const match = /^#game-(\d+)$/.exec(location.hash);
    if (!match && game) return;
    const index = match ? list.number.indexOf(Number(match[1])) : firstShown();
    if (index >= 0) {
      tell("");
      await open(index, { focus: Boolean(match) && JoutePage.kept.scroll === undefined });
      return;
    }
    if (!game) await open(0, { focus: false });
    tell(`There is no game ${match[1]} in this report; below is game ${list.number[game.index]}.`);
    $("games-message").scrollIntoView({ block: "center" });
  }

  const FILTERS = ["agent", "opponent", "result", "reason"];

  function restoreFilters() {
    (JoutePage.kept.filters || []).forEach((value, index) => { $(`filter-${FILTERS[index]}`).value = value; });
    if (JoutePage.kept.filters) fillResults();
  }

  // The game and the ply that were shown before a live page loaded itself again.
  function restorePlace() {
    JoutePage.register("filters", () => FILTERS.map((name) => $(`filter-${name}`).value));
    JoutePage.register("shown", () => [list.number[game.index], ply]);
    JoutePage.whileReading(() => timer !== 0);
    const [number, at] = JoutePage.kept.shown || [];
    if (number === list.number[game.index]) showPly(at);
    JoutePage.restore();
  }

  async function start() {
    if (typeof DecompressionStream === "undefined") {
      tell(
        "This browser cannot unpack the games: Chrome 80, Firefox 113, Safari 16.4 or anything newer can. " +
          "Everything above is complete.",
      );
      return;
    }
    [list, boards] = await Promise.all([unpack(data.list), unpack(data.boards)]);
    $("games-box").hidden = false;
    fillFilters();
    fillResults();
    $("filter-agent").addEventListener("change", fillResults);
    for (const name of FILTERS) $(`filter-${name}`).addEventListener("change", filter);
    $("games-back").addEventListener("click", () => { page -= 1; showList(); });
    $("games-on").addEventListener("click", () => { page += 1; showList(); });
    $("viewer-slider").addEventListener("input", () => step(Number($("viewer-slider").value)));
    $("viewer-start-button").addEventListener("click", () => step(0));
    $("viewer-back").addEventListener("click", () => step(ply - 1));
    $("viewer-on").addEventListener("click", () => step(ply + 1));
    $("viewer-end").addEventListener("click", () => step(game.positions.length - 1));
    $("viewer-play").addEventListener("click", play);
    $("values-chart").addEventListener("click", (event) => {
      step(JouteChart.plyAt($("values-chart"), event.clientX, game.moves.length));
    });
    document.addEventListener("keydown", onKey);
    addEventListener("hashchange", openLinked);
    restoreFilters();
    filter();
    await openLinked();
    restorePlace();
    document.documentElement.dataset.ready = "yes"; // the first game is shown; browser tests wait for this
  }

  start().catch(() => tell("The games of this file cannot be read: it is damaged. Make the report again."));
})();
