// Building nodes of the document. Strings become text nodes, never markup, and nothing in them turns the
// direction of what stands beside them.

import { withoutMarks } from "./direction.js";

/** The attributes that people read, or hear. */
const readAttributes = new Set(["aria-label", "title"]);

/** An element with attributes (false, null and undefined leave one out) and children. */
export function element(name, attributes = {}, children = []) {
    return fill(document.createElement(name), attributes, children);
}

/** An icon of `icons.svg`, which holds each as a symbol. It says nothing to a screen reader. */
export function icon(name) {
    const namespace = "http://www.w3.org/2000/svg";
    const use = document.createElementNS(namespace, "use");
    use.setAttribute("href", `icons.svg#${name}`);
    const attributes = { class: "icon", "aria-hidden": "true" };
    return fill(document.createElementNS(namespace, "svg"), attributes, [use]);
}

/** Makes `text` what an element says. */
export function setText(node, text) {
    node.textContent = withoutMarks(text);
}

/** Gives an element an attribute that people read, or hear. */
export function setAttribute(node, name, text) {
    node.setAttribute(name, withoutMarks(text));
}

/** The element with that id, which index.html holds. */
export function byId(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`index.html has no #${id}`);
    return found;
}

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === false || value === null || value === undefined) continue;
        const text = value === true ? "" : String(value);
        node.setAttribute(name, readAttributes.has(name) ? withoutMarks(text) : text);
    }
    node.append(...asText(children));
    return node;
}

/** Strings as they are shown; nodes as they are. */
export function asText(children) {
    return children.map((child) => typeof child === "string" ? withoutMarks(child) : child);
}
