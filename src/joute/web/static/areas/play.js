// The area "play": begin a game, and play or watch it.

import { showGame } from "./play/game.js";
import { showSetup } from "./play/setup.js";

export const routes = { "": showSetup, "play": showSetup, "game/:id": showGame };
