// The area "analyse": a game or a position with the lines of the solver or the engine, a graph, variations and a review.

import { Workbench } from "./analyse/workbench.js";
import { Study } from "./analyse/study.js";

export const routes = { "analyse": show, "analyse/:id": showGame, "review/:id": showReview };

// A study from an address (#/analyse?game=…&position=…&line=4_4_5), from this tab, or the start of the first game.
async function show(root, { query }, app) {
  if (query.game) {
    const line = query.line ? query.line.split("_") : [];
    const { study } = await app.api.post("analyse/position", { game: query.game, start: query.position || "", line });
    return open(root, app, new Study(app.api, study), { atEnd: true });
  }
  const saved = Study.saved();
  if (saved) {
    try {
      await app.api.post("analyse/position", { game: saved.data.game, start: saved.data.start, line: saved.at });
      const study = new Study(app.api, { ...saved.data }, "");
      study.merge(saved);
      return open(root, app, study);
    } catch (error) {
      if (error.code === "offline") throw error;
    }
  }
  const data = await app.api.post("analyse/read", { text: "", game: app.games[0].name });
  return open(root, app, new Study(app.api, data));
}

async function showGame(root, { id }, app) {
  const data = await app.api.get(`analyse/games/${encodeURIComponent(id)}`);
  const study = new Study(app.api, data, id);
  const saved = Study.saved();
  if (saved && saved.id === id) study.merge(saved);
  else study.current = study.path().at(-1);
  return open(root, app, study);
}

async function showReview(root, { id }, app) {
  const data = await app.api.get(`analyse/games/${encodeURIComponent(id)}`);
  return open(root, app, new Study(app.api, data, id), { isReview: true });
}

async function open(root, app, study, { atEnd = false, isReview = false } = {}) {
  if (atEnd) study.current = study.path().at(-1);
  const workbench = new Workbench(root, app);
  await workbench.open(study, { isReview });
  return () => workbench.dispose();
}
