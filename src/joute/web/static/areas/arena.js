// The area "arena": tournaments. Each view is loaded when it is first shown.

const lazily = (file, name) => async (...given) => (await import(`./arena/${file}.js`))[name](...given);

export const routes = {
  "arena": lazily("list", "showList"),
  "arena/new": lazily("form", "showForm"),
  "arena/:id": lazily("tournament", "showTournament"),
  "arena/:id/:number": lazily("replay", "showReplay"),
};
