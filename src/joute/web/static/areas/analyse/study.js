/* global JouteScene */
// A game under analysis: a tree of tokens (moves, #k for an outcome of chance, -- for a lost turn), and what the server
// says of each position. The first child of a node is its main line.

const KEY = "joute-study";
const PART = 100; // positions that the server draws at once

class Node {
  children = [];
  info = null; // of the server: who moved, the status, …
  drawing = null; // a scene without targets
  view = null; // the whole position, with targets
  judged = null; // the review of the move that leads here
  chance = null; // the win probability of the first player, of a review or an analysis
  isReviewed = false;

  constructor(token, parent) {
    this.token = token;
    this.parent = parent;
    this.depth = parent ? parent.depth + 1 : 0;
  }

  get isOutcome() { return this.token.startsWith("#"); }
}

// The scene of one position of a part of a line, whose drawings are differences to one another.
function sceneOf(boards, position) {
  return { boards, position: [position.frame, [0, boards.base.length, ...position.shapes]], areas: [], targets: [], title: boards.frames[position.frame][2] };
}

export class Study {
  // `data` is what the server says of a game that it has read: {game, title, players, start, line, …}.
  constructor(api, data, id = "") {
    this.api = api;
    this.data = data;
    this.id = id;
    this.root = new Node("", null);
    this.add(this.root, data.line);
    this.current = this.root;
    this.accuracy = null; // of a review
    this.annotated = ""; // the record with the review's comments
  }

  // Adds tokens below a node and returns the last node.
  add(node, tokens) {
    for (const token of tokens) {
      let child = node.children.find((each) => each.token === token);
      if (!child) node.children.push((child = new Node(token, node)));
      node = child;
    }
    return node;
  }

  line(node = this.current) {
    const tokens = [];
    for (let each = node; each.parent; each = each.parent) tokens.unshift(each.token);
    return tokens;
  }

  // The nodes from the start to the end of the main line, or of the line through a node.
  path(through = this.root) {
    const nodes = [];
    for (let each = through; each; each = each.parent) nodes.unshift(each);
    while (nodes.at(-1).children.length) nodes.push(nodes.at(-1).children[0]);
    return nodes;
  }

  // The position of a node as the server takes it.
  request(node = this.current) {
    return { game: this.data.game, start: this.data.start, line: this.line(node) };
  }

  remove(node) {
    node.parent.children.splice(node.parent.children.indexOf(node), 1);
    for (let each = this.current; each; each = each.parent) if (each === node) this.current = node.parent;
  }

  // Makes the line through a node the main line, up to the first fork above it.
  promote(node) {
    for (let each = node; each.parent; each = each.parent) {
      const brothers = each.parent.children;
      const at = brothers.indexOf(each);
      if (at === 0) continue;
      brothers.splice(at, 1);
      brothers.unshift(each);
      return;
    }
  }

  isMain(node) {
    for (let each = node; each.parent; each = each.parent) if (each.parent.children[0] !== each) return false;
    return true;
  }

  // Fetches the drawings of a line in parts, nearest to the shown position first.
  async draw(nodes, signal) {
    const line = this.line(nodes.at(-1));
    for (let first = 0; first < nodes.length; first += PART) {
      const last = Math.min(first + PART, nodes.length) - 1;
      const part = nodes.slice(first, last + 1);
      if (part.every((each) => each.info)) continue;
      const { boards, positions, nodes: told } = await this.api.post("analyse/line", { study: { game: this.data.game, start: this.data.start, line }, first, last }, { signal });
      const decoded = JouteScene.decode(boards, positions);
      part.forEach((node, at) => {
        node.info = told[at];
        node.drawing ||= sceneOf(boards, decoded[at]);
      });
    }
  }

  // Fetches the position of a node.
  async view(node, signal) {
    if (!node.view) {
      const view = await this.api.post("analyse/position", this.request(node), { signal });
      node.view = view;
      node.info = view;
    }
    return node.view;
  }

  // Plays a token, or a move as somebody typed it, from a node; returns the new node. The server refuses illegal moves.
  async play(token, node = this.current) {
    const known = node.children.find((each) => each.token === token);
    if (known) return known;
    const request = this.request(node);
    const view = await this.api.post("analyse/position", { ...request, line: [...request.line, token] });
    const child = this.add(node, view.study.line.slice(node.depth));
    child.view ||= view;
    child.info = view;
    return child;
  }

  // --- Keeping it while the tab lives ---

  save() {
    const tree = (node) => [node.token, ...node.children.map(tree)];
    const { data, id } = this;
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ data, id, tree: tree(this.root), at: this.line() }));
    } catch {
      // then the study lives until the page is reloaded
    }
  }

  // Takes over the variations of a saved study of the same game.
  merge(saved) {
    const graft = (node, [, ...children]) => {
      for (const [token, ...rest] of children) graft(this.add(node, [token]), [token, ...rest]);
    };
    graft(this.root, saved.tree);
    let node = this.root;
    for (const token of saved.at) {
      const next = node.children.find((each) => each.token === token);
      if (!next) break;
      node = next;
    }
    this.current = node;
  }

  static saved() {
    try {
      const saved = JSON.parse(sessionStorage.getItem(KEY));
      return saved && saved.data && Array.isArray(saved.tree) && Array.isArray(saved.at) ? saved : null;
    } catch {
      return null;
    }
  }
}
