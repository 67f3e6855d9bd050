// Dialogs to load a game or a position, and to export one.

import { dialog, field, h, icon, select } from "../../lib/dom.js";
import { phrase, t } from "../../lib/i18n.js";

const MOST_BYTES = 60000;

// Asks for a game, a position or moves, as text or as a file; resolves to what the server read, or undefined.
export function loadDialog(app, study) {
  return dialog(t("analyse.load"), (close) => {
    const text = h("textarea", { rows: 9, spellcheck: "false", autofocus: true, placeholder: t("analyse.load_example") });
    const game = select(app.games.map((each) => [each.name, phrase(each.title)]), { value: study.data.name });
    const number = h("input", { type: "number", min: 1, value: 1 });
    const which = field(t("analyse.which"), number);
    which.hidden = true;
    const told = h("p", { class: "error-text", role: "alert" });
    const file = h("input", {
      type: "file", accept: ".txt,.pgn,text/plain",
      on: {
        change: async () => {
          if (!file.files[0]) return;
          if (file.files[0].size > MOST_BYTES) told.textContent = t("error.large_body");
          else text.value = await file.files[0].text();
        },
      },
    });
    const submit = async (event) => {
      event.preventDefault();
      told.textContent = "";
      const spec = game.value === study.data.name ? study.data.game : game.value;
      try {
        const data = await app.api.post("analyse/read", { text: text.value.replace(/\r\n?/g, "\n"), game: spec, number: Number(number.value) || 1 });
        if (data.games > 1 && which.hidden) {
          which.hidden = false;
          number.max = data.games;
          told.textContent = t("analyse.many_games", { n: data.games });
          number.focus();
          return;
        }
        close(data);
      } catch (error) {
        told.textContent = app.errorText(error);
        text.setAttribute("aria-invalid", "true");
        text.focus();
      }
    };
    return h("form", { class: "load", on: { submit } },
      field(t("analyse.load_text"), text, { help: t("analyse.load_help") }),
      field(t("analyse.load_file"), file),
      field(t("analyse.load_game"), game, { help: t("analyse.load_game_help") }),
      which, told,
      h("div", { class: "actions" }, h("button", { class: "primary" }, t("analyse.open"))));
  }, { closeLabel: t("app.close") });
}

export function download(name, text, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copy(app, text) {
  try {
    await navigator.clipboard.writeText(text);
    app.toast(t("analyse.copied"));
  } catch {
    app.toast(t("analyse.not_copied"), "error");
  }
}

// Offers the record of the line, the position, a link and the picture.
export function exportDialog(app, study) {
  const { data } = study;
  const position = study.current.view?.position ?? data.start;
  const line = study.line();
  const link = new URL(location.href);
  link.hash = `#/analyse?${new URLSearchParams({ game: data.game, position: data.start, line: line.join("_") })}`;
  const record = () => app.api.post("analyse/record", { study: study.request(study.path(study.current).at(-1)), names: data.names || data.players });
  return dialog(t("analyse.export"), () => {
    const told = h("p", { class: "error-text", role: "alert" });
    const guarded = (how) => async () => {
      try {
        told.textContent = "";
        await how();
      } catch (error) {
        told.textContent = app.errorText(error);
      }
    };
    const shown = h("input", { readonly: true, value: position, on: { focus: (event) => event.target.select() } });
    const button = (name, label, how) => h("button", { type: "button", class: "with-icon", on: { click: guarded(how) } }, icon(name), label);
    return h("div", { class: "export" },
      field(t("analyse.position"), shown),
      h("div", { class: "actions start" },
        button("copy", t("analyse.copy_position"), () => copy(app, position)),
        button("share", t("analyse.copy_link"), () => copy(app, link.href)),
        button("download", t("analyse.save_record"), async () => download(`${data.name}.txt`, await record(), "text/plain")),
        button("copy", t("analyse.copy_record"), async () => copy(app, await record())),
        study.annotated && button("download", t("analyse.save_annotated"), () => download(`${data.name}-review.txt`, study.annotated, "text/plain")),
        button("download", t("analyse.save_svg"), async () => download(`${data.name}.svg`, await app.api.post("analyse/svg", study.request()), "image/svg+xml"))),
      told);
  }, { closeLabel: t("app.close") });
}
