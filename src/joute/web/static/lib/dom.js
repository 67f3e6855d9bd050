// Makes elements. Texts of others are only ever set as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(made, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) made.addEventListener(event, handler);
    else if (name === "data") Object.assign(made.dataset, value);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") made[name] = value;
    else made.setAttribute(name, value === true ? "" : value);
  }
  append(made, children);
  return made;
}

function append(made, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== undefined && child !== null && child !== false) made.append(child);
  }
}

// An HTML element: h("button", {class: "primary", on: {click}}, "Play", icon). Properties that are null, undefined or
// false are left out, and so are such children.
export const h = (tag, properties = {}, ...children) => fill(document.createElement(tag), properties, children);

// An SVG element.
export const s = (tag, properties = {}, ...children) => fill(document.createElementNS(SVG, tag), properties, children);

// Replaces the children of an element.
export function show(root, ...children) {
  root.replaceChildren();
  append(root, children);
  return root;
}

let numbers = 0;

// An id that no other element has.
export const freshId = (name = "id") => `${name}-${++numbers}`;

// A control with its label: field("Clock", h("select", …)). `help` is a sentence below it.
export function field(label, control, { help = "", inline = false } = {}) {
  control.id ||= freshId("field");
  const told = help ? h("small", { id: `${control.id}-help`, class: "help" }, help) : null;
  if (told) control.setAttribute("aria-describedby", told.id);
  const name = h("label", { for: control.id }, label);
  return h("div", { class: inline ? "field inline" : "field" }, inline ? [control, name] : [name, control], told);
}

// A list to choose from: options are [value, text].
export function select(options, { value, onChange, ...properties } = {}) {
  const made = h(
    "select",
    { ...properties, on: { change: () => onChange && onChange(made.value) } },
    options.map(([each, text]) => h("option", { value: each }, text)),
  );
  if (value !== undefined) made.value = value;
  return made;
}

// A group of buttons of which one is pressed: options are [value, text or element].
export function choice(label, options, { value, onChange }) {
  const buttons = new Map();
  const group = h("div", { class: "choice", role: "radiogroup", "aria-label": label });
  const press = (chosen, { focus = false } = {}) => {
    group.value = chosen;
    for (const [each, button] of buttons) {
      button.setAttribute("aria-checked", String(each === chosen));
      button.tabIndex = each === chosen ? 0 : -1;
      if (focus && each === chosen) button.focus();
    }
  };
  const change = (chosen, how) => {
    press(chosen, how);
    onChange(chosen);
  };
  for (const [each, text] of options) {
    buttons.set(each, h("button", { type: "button", role: "radio", on: { click: () => change(each) } }, text));
  }
  group.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const values = [...buttons.keys()];
    change(values[(values.indexOf(group.value) + step + values.length) % values.length], { focus: true });
  });
  append(group, [...buttons.values()]);
  press(value);
  group.press = press;
  return group;
}

// Pictures on buttons: outlines in a square of 24.
const ICONS = {
  back: "M15 5l-7 7 7 7",
  forward: "M9 5l7 7-7 7",
  first: "M18 5l-7 7 7 7M7 5v14",
  last: "M6 5l7 7-7 7M17 5v14",
  flip: "M7 4v13m0 0l-3-3m3 3l3-3M17 20V7m0 0l-3 3m3-3l3 3",
  undo: "M8 5L4 9l4 4M4 9h10a5 5 0 010 10h-4",
  hint: "M9 18h6M10 21h4M12 3a6 6 0 00-4 10.5c1 1 1 1.5 1 2.5h6c0-1 0-1.5 1-2.5A6 6 0 0012 3z",
  flag: "M6 21V4m0 1h11l-2 4 2 4H6",
  pause: "M9 5v14M15 5v14",
  play: "M8 5l11 7-11 7z",
  step: "M6 5l8 7-8 7zM18 5v14",
  share: "M10 14a4 4 0 005.7 0l3-3a4 4 0 00-5.7-5.7l-1 1M14 10a4 4 0 00-5.7 0l-3 3a4 4 0 005.7 5.7l1-1",
  download: "M12 4v11m0 0l-4-4m4 4l4-4M5 20h14",
  copy: "M9 9h10v11H9zM5 15V4h10",
  plus: "M12 5v14M5 12h14",
  sun: "M12 8a4 4 0 100 8 4 4 0 000-8zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5",
  moon: "M20 14.5A8 8 0 019.5 4 8 8 0 1020 14.5z",
  system: "M4 5h16v11H4zM9 20h6M12 16v4",
  close: "M6 6l12 12M18 6L6 18",
  check: "M5 12.5l5 5L19 7",
  search: "M11 4a7 7 0 100 14 7 7 0 000-14zM16 16l5 5",
  menu: "M4 7h16M4 12h16M4 17h16",
  edit: "M4 20l1-4L16 5l3 3L8 19z",
};

// A picture by its name; it is decoration, so that its button needs a label or text.
export const icon = (name) =>
  s("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, s("path", { d: ICONS[name] }));

// A button with a picture. The label is shown if `text` is set, and else read aloud and shown as a tooltip.
export function iconButton(name, label, onClick, { text = false, ...properties } = {}) {
  return h(
    "button",
    { type: "button", class: text ? "with-icon" : "icon-only", ...properties, ...(text ? {} : { "aria-label": label, title: label }), on: { click: onClick } },
    icon(name),
    text ? label : null,
  );
}

// Shows a question or a form above the page until it is closed. `content` gets a function that closes it with a value.
export function dialog(title, content, { closeLabel }) {
  return new Promise((resolve) => {
    const heading = h("h2", { id: freshId("dialog") }, title);
    const box = h("dialog", { "aria-labelledby": heading.id });
    let result;
    const close = (value) => {
      result = value;
      box.close();
    };
    append(box, [h("div", { class: "dialog-head" }, heading, iconButton("close", closeLabel, () => close())), content(close)]);
    box.addEventListener("close", () => {
      box.remove();
      resolve(result);
    });
    box.addEventListener("click", (event) => event.target === box && close());
    document.body.append(box);
    box.showModal();
  });
}
