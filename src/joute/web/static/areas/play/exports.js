// Exports of a game: record, position, picture; and a new game from the shown position.

import { dialog, h, iconButton } from "../../lib/dom.js";
import { t } from "../../lib/i18n.js";

export function exportMenu(app, id, game, shown) {
  const number = shown ?? game.moves.length;
  return dialog(t("play.export"), (close) => {
    const position = h("textarea", { readonly: true, rows: 3, "aria-label": t("play.position") });
    app.api.get(`games/${id}/positions/${number}`).then((found) => { position.value = found.position; }, app.fail);
    const goTo = (address) => {
      close();
      app.go(`${address}?game=${encodeURIComponent(game.spec)}&position=${encodeURIComponent(position.value)}`);
    };
    return h("div", { class: "exports" },
      h("a", { class: "button", href: `/api/games/${id}/record`, download: "" }, t("play.export_record")),
      h("a", { class: "button", href: `/api/games/${id}/scenes/${number}.svg`, download: "" }, t("play.export_picture")),
      h("p", { class: "label" }, t("play.position")),
      h("div", { class: "row" }, position, iconButton("copy", t("play.copy"), async () => {
        position.select();
        await navigator.clipboard?.writeText(position.value).then(() => app.toast(t("play.copied")), () => {});
      })),
      h("div", { class: "actions start" },
        h("button", { type: "button", on: { click: () => goTo("play") } }, t("play.play_from_here")),
        h("button", { type: "button", on: { click: () => goTo("analyse") } }, t("play.analyse_from_here"))));
  }, { closeLabel: t("app.close") });
}
