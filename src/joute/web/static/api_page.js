// Shows the description of the API for people: every operation with its parameters and examples.

import { h } from "./lib/dom.js";

const main = document.getElementById("main");

// The schema that a reference names.
const resolved = (api, schema) => (schema?.$ref ? schema.$ref.split("/").slice(1).reduce((found, key) => found[key], api) : schema);

function body(api, operation) {
  const content = operation.requestBody?.content?.["application/json"];
  if (!content) return null;
  const schema = resolved(api, content.schema);
  const fields = Object.entries(schema.properties || {});
  return [
    schema.examples ? h("pre", { tabindex: 0 }, JSON.stringify(schema.examples[0], null, 1)) : null,
    fields.length ? h("dl", {}, fields.map(([name, { description = "", examples }]) => [
      h("dt", {}, h("code", {}, name)),
      h("dd", {}, [description, examples ? `such as ${JSON.stringify(examples[0])}` : ""].filter(Boolean).join("; ")),
    ])) : null,
  ];
}

const api = await (await fetch("/api/openapi.json")).json();
for (const [path, methods] of Object.entries(api.paths)) {
  for (const [method, operation] of Object.entries(methods)) {
    main.append(h("section", { class: "card" },
      h("h2", {}, h("code", {}, `${method.toUpperCase()} ${path}`)),
      h("p", {}, operation.summary, ". ", operation.description || ""),
      body(api, operation)));
  }
}
