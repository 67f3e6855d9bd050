// Sets the theme before the page is painted: that of the system, unless the visitor chose another.
"use strict";

(() => {
  let chosen = null;
  try {
    chosen = localStorage.getItem("joute-theme");
  } catch {
    // Storage may be forbidden: then the system decides.
  }
  if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
})();
