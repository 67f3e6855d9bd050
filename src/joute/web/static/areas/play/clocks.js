// The clocks of both players. The server tells the seconds left at one moment; the page counts down from there.

import { h } from "../../lib/dom.js";
import { number, t } from "../../lib/i18n.js";

const LOW_S = 10;

// Seconds as a clock shows them: 5:03, 1:02:03, 7.4.
export function clockFace(seconds) {
  if (seconds < LOW_S) return number(Math.floor(seconds * 10) / 10, 1);
  const whole = Math.floor(seconds);
  const two = (value) => String(value).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

export class Clocks {
  #elements = [0, 1].map(() => h("span", { class: "clock", role: "timer", hidden: true }));
  #clock = null;
  #since = 0;
  #timer = 0;

  element(side) {
    return this.#elements[side];
  }

  // Shows {left_s, running}, or no clocks if it is null.
  show(clock) {
    if (clock !== this.#clock) this.#since = performance.now();
    this.#clock = clock;
    this.#draw();
  }

  dispose() {
    clearTimeout(this.#timer);
  }

  #draw() {
    clearTimeout(this.#timer);
    this.#elements.forEach((element, side) => {
      const left = this.#clock?.left_s[side];
      element.hidden = left === undefined || left === null;
      if (element.hidden) return;
      const runs = this.#clock.running === side;
      const now = runs ? Math.max(0, left - (performance.now() - this.#since) / 1000) : left;
      element.textContent = clockFace(now);
      element.setAttribute("aria-label", t("play.clock_left", { time: clockFace(now) }));
      element.classList.toggle("runs", runs);
      element.classList.toggle("low", now < LOW_S);
    });
    if (this.#clock && this.#clock.running !== null) this.#timer = setTimeout(() => this.#draw(), 100);
  }
}
