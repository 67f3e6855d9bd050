// The texts of the page in the visitor's language. docs/page.md tells how to add a text or a language.

export const LANGUAGES = { en: "English", fr: "Français" };
const KEY = "joute-language";

let current = "en";
let texts = {};
let exact = new Map(); // phrases without slots
let patterns = []; // [regular expression, names of its slots, translation]

function stored() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // storage may be forbidden
  }
}

// The language that the visitor chose, else the first of the browser's that there is, else English.
export function preferred() {
  const wanted = [stored(), ...navigator.languages].filter(Boolean).map((each) => each.slice(0, 2).toLowerCase());
  return wanted.find((each) => each in LANGUAGES) || "en";
}

export const language = () => current;

export function choose(wanted) {
  try {
    localStorage.setItem(KEY, wanted);
  } catch {
    // then the choice lasts until the page is closed
  }
}

// Takes the catalogue of a language: {texts: {key: text}, phrases: [[English, translation], …]}.
export function use(wanted, catalogue) {
  current = wanted;
  texts = catalogue.texts;
  exact = new Map();
  patterns = [];
  for (const [source, translation] of catalogue.phrases) {
    const names = [...source.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
    if (!names.length) exact.set(source, translation);
    else {
      const escaped = source.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
      patterns.push([new RegExp(`^${escaped.join("(.+?)")}$`, "su"), names, translation]);
    }
  }
  document.documentElement.lang = wanted;
}

// Fills a text: {name} is a value, and {name:one|many} is the first word if the value counts as one, else the second.
function filled(text, values) {
  return text.replace(/\{(\w+)(?::([^{}|]*)\|([^{}]*))?\}/g, (whole, name, one, many) => {
    if (!(name in values)) return whole;
    if (one === undefined) return typeof values[name] === "number" ? number(values[name]) : values[name];
    return isOne(values[name]) ? one : many;
  });
}

const isOne = (value) => (current === "fr" ? Math.abs(value) < 2 : Math.abs(value) === 1);

// The text of a key: t("play.moves", {n: 3}). A missing key shows itself, so that tests find it.
export function t(key, values = {}) {
  const text = texts[key];
  return text === undefined ? key : filled(text, values);
}

export const has = (key) => key in texts;

// A sentence or a name that the server says in English, as the catalogue translates it. Slots are translated too.
export function phrase(text, depth = 0) {
  if (!text) return text;
  if (exact.has(text)) return exact.get(text);
  const share = text.match(/^(\d+(?:\.(\d+))?)%$/);
  if (share) return percent(share[1] / 100, share[2]?.length);
  if (depth > 4) return text;
  for (const [pattern, names, translation] of patterns) {
    const found = text.match(pattern);
    if (!found) continue;
    const values = Object.fromEntries(names.map((name, at) => [name, phrase(found[at + 1], depth + 1)]));
    return filled(translation, values);
  }
  return text;
}

// A long text of which no part is translated alone.
export const wholePhrase = (text) => exact.get(text) ?? text;

export const number = (value, digits = 2) => value.toLocaleString(current, { maximumFractionDigits: digits });
export const percent = (share, digits = 0) =>
  share.toLocaleString(current, { style: "percent", maximumFractionDigits: digits, minimumFractionDigits: digits });
// A label and what it says: French puts a space before the colon.
export const labelled = (label, said) => `${label}${current === "fr" ? "\u00a0" : ""}: ${said}`;
export const date = (seconds) =>
  new Date(seconds * 1000).toLocaleString(current, { dateStyle: "medium", timeStyle: "short" });
export const capital = (text) => text && text[0].toLocaleUpperCase(current) + text.slice(1);
