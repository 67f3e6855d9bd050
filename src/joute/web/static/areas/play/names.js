// The names of players and agents in words.

import { phrase, t } from "../../lib/i18n.js";

// An agent's spec for people: a level by its number, others as they are.
export function agentName(spec) {
  const level = spec.match(/^level:(?:number=)?(\w+)$/);
  if (!level) return spec;
  return level[1] === "auto" ? t("play.level_auto") : t("play.level_name", { number: Number(level[1]) });
}

// The name of the player of a side.
export function seatName(app, seat, { isYou = false } = {}) {
  if (seat.kind === "agent") return agentName(seat.agent);
  if (isYou) return t("play.you");
  if (seat.is_open) return t("play.open_seat");
  return seat.name || t("play.other_person");
}

// A player's name in the game, such as the name of a colour.
export const playerName = (game, side) => phrase(game.players[side]);
