// Folded sections, and live pages. A link to a folded section opens it; everything is open on paper. A live page loads
// itself again and keeps the reader's place: the scroll position, the open folds and the state that scripts register.
"use strict";

const JoutePage = (() => {
  const KEY = `joute-place:${location.pathname}`;
  const keepers = {};
  const folds = () => [...document.querySelectorAll("main details")];
  let isReading = () => false;

  function openTarget() {
    const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    const fold = target && target.querySelector(":scope > details");
    if (fold) fold.open = true;
  }

  // The place that the page kept before it loaded itself again; empty at the first time.
  const kept = (() => {
    try {
      const text = sessionStorage.getItem(KEY);
      sessionStorage.removeItem(KEY);
      return text ? JSON.parse(text) : {};
    } catch {
      return {}; // storage may be forbidden: then the page begins at the top
    }
  })();

  function keep() {
    const place = { scroll: scrollY, open: folds().map((fold) => fold.open) };
    for (const [name, state] of Object.entries(keepers)) place[name] = state();
    try {
      sessionStorage.setItem(KEY, JSON.stringify(place));
    } catch {
      // see above
    }
  }

  // Call when the page is complete.
  function restore() {
    if (kept.open) folds().forEach((fold, index) => { fold.open = Boolean(kept.open[index]); });
    if (kept.scroll !== undefined) scrollTo({ top: kept.scroll, behavior: "instant" });
  }

  function reloadLater(seconds) {
    setTimeout(() => {
      if (document.hidden || isReading()) return reloadLater(seconds);
      keep();
      location.reload();
    }, 1000 * seconds);
  }

  addEventListener("hashchange", openTarget);
  addEventListener("beforeprint", () => folds().forEach((fold) => { fold.open = true; }));
  document.addEventListener("click", (event) => {
    // A second click on a link does not change the address.
    if (event.target.closest("nav a")) setTimeout(openTarget);
  });
  openTarget();
  const live = Number(document.body.dataset.liveS);
  if (kept.open) {
    history.scrollRestoration = "manual";
    restore();
  }
  if (live) reloadLater(live);

  return {
    kept,
    restore,
    register: (name, state) => { keepers[name] = state; },
    whileReading: (test) => { isReading = test; },
  };
})();
