// Which puzzles the visitor solved or missed. It stays in the browser.

const KEY = "joute-puzzles";

function read() {
  try {
    return JSON.parse(localStorage.getItem(KEY)) || {};
  } catch {
    return {};
  }
}

// "solved", "missed" (the first answer was wrong or the answer was shown), or "" before an answer.
export const stateOf = (puzzle) => read()[puzzle.id] || "";

// Keeps the first verdict, except that a missed puzzle can be solved later.
export function note(puzzle, verdict) {
  const kept = read();
  if (kept[puzzle.id] === "solved") return;
  kept[puzzle.id] = verdict;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // then the progress lasts until the page is closed
  }
}

export const solvedOf = (puzzles) => puzzles.filter((each) => stateOf(each) === "solved").length;
