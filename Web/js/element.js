// Creates DOM nodes. Strings become text nodes, never markup, and cannot change the direction of their
// surroundings.

import { withoutMarks } from "./direction.js";

/** Attributes that users read or hear. */
const readAttributes = new Set(["aria-label", "title"]);

/** An element with attributes (false, null and undefined omit one) and children. */
export function element(name, attributes = {}, children = []) {
    return fill(document.createElement(name), attributes, children);
}

/**
 * An icon of `icons.svg`, which contains each as a symbol and is part of the built index.html. Hidden
 * from screen readers.
 */
export function icon(name) {
    const use = drawing("use", { href: `#icon-${name}` });
    return drawing("svg", { class: "icon", "aria-hidden": "true" }, [use]);
}

/** An element of an SVG image; attributes and children as for `element`. */
export function drawing(name, attributes = {}, children = []) {
    const namespace = "http://www.w3.org/2000/svg";
    return fill(document.createElementNS(namespace, name), attributes, children);
}

/** An element of MathML, as `element` makes those of HTML. */
export function mathElement(name, attributes, children) {
    const namespace = "http://www.w3.org/1998/Math/MathML";
    return fill(document.createElementNS(namespace, name), attributes, children);
}

/** Sets an element's text. */
export function setText(node, text) {
    node.textContent = withoutMarks(text);
}

/** Sets an attribute that users read or hear. */
export function setAttribute(node, name, text) {
    node.setAttribute(name, withoutMarks(text));
}

/** The element with that id in index.html. */
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

/** Converts strings for display; nodes stay as they are. */
export function asText(children) {
    return children.map((child) => typeof child === "string" ? withoutMarks(child) : child);
}
