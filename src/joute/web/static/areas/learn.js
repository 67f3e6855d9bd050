// Learning: what there is to learn, the rules of a game, its puzzles, the searches.

import { index } from "./learn/index.js";
import { lesson } from "./learn/lesson.js";
import { puzzle } from "./learn/puzzle.js";
import { searches } from "./learn/searches.js";

export const routes = {
  learn: index,
  "rules/:game": lesson,
  "puzzles/:game": puzzle,
  "puzzles/:game/:number": puzzle,
  searches,
};
