// Draws a tree of Markdown and changes it in place: nodes whose counterpart is of the same kind stay,
// so that a text that grows keeps the user's selection, focus and scroll position in it.

import { withoutMarks, withVisibleMarks } from "../direction.js";
import { element } from "../element.js";

/** Nothing but these elements is created, with these attributes and those of every element. */
const allowed = {
    a: ["href", "rel", "target", "title"],
    button: ["type", "data-note", "data-note-back"],
    div: ["role", "tabindex"],
    input: ["type", "disabled", "checked"],
    li: ["data-note-text", "tabindex"],
    ol: ["start"],
};
for (const name of ["blockquote", "br", "code", "del", "em", "h3", "h4", "h5", "h6", "hr", "p", "span",
    "strong", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul"]) allowed[name] = [];
const everywhere = ["aria-label", "class", "dir"];

const partOf = new WeakMap();

/**
 * Changes the children of `parent` from one list of nodes to another. `makePart(node)` makes what draws
 * itself: `{node, update(node)}`.
 */
export function patchChildren(parent, before, after, makePart) {
    patchList(parent, before, after, { makePart, inCode: parent.localName === "code" });
}

function patchList(parent, before, after, context) {
    const common = Math.min(before.length, after.length);
    for (let index = 0; index < common; index += 1) {
        if (before[index] === after[index]) continue;
        patchNode(parent.childNodes[index], before[index], after[index], context);
    }
    while (parent.childNodes.length > after.length) parent.lastChild.remove();
    parent.append(...after.slice(common).map((node) => created(node, context)));
}

function patchNode(shown, before, after, context) {
    if (typeof after === "string" && typeof before === "string") {
        patchText(shown, display(after, context));
    } else if (after.part !== undefined && after.part === before.part) {
        partOf.get(shown).update(after);
    } else if (after.name !== undefined && after.name === before.name) {
        patchAttributes(shown, before.attributes, after);
        patchList(shown, before.children, after.children, inside(after, context));
    } else {
        shown.replaceWith(created(after, context));
    }
}

/** A text that only grows keeps its node's selection. */
function patchText(shown, text) {
    if (text === shown.data) return;
    if (text.startsWith(shown.data)) shown.appendData(text.slice(shown.data.length));
    else shown.data = text;
}

function patchAttributes(shown, before, after) {
    for (const name of Object.keys(before)) {
        if (!(name in after.attributes)) shown.removeAttribute(name);
    }
    const changed = Object.entries(after.attributes).filter(([name, value]) => before[name] !== value);
    if (changed.length === 0) return;
    // One place decides how attributes are written.
    const model = element(after.name, checked(after.name, Object.fromEntries(changed)));
    for (const [name] of changed) {
        if (model.hasAttribute(name)) shown.setAttribute(name, model.getAttribute(name));
        else shown.removeAttribute(name);
    }
}

function created(node, context) {
    if (typeof node === "string") return document.createTextNode(display(node, context));
    if (node.part !== undefined) {
        const part = context.makePart(node);
        partOf.set(part.node, part);
        return part.node;
    }
    const made = element(node.name, checked(node.name, node.attributes));
    made.append(...node.children.map((child) => created(child, inside(node, context))));
    return made;
}

function inside({ name }, context) {
    return name === "code" ? { ...context, inCode: true } : context;
}

/** In code, marks that override the direction are shown; elsewhere they are left out. */
function display(text, { inCode }) {
    return inCode ? withVisibleMarks(text) : withoutMarks(text);
}

function checked(name, attributes) {
    if (!Object.hasOwn(allowed, name)) throw new Error(`Markdown makes no ${name}`);
    for (const attribute of Object.keys(attributes)) {
        if (!allowed[name].includes(attribute) && !everywhere.includes(attribute)) {
            throw new Error(`Markdown gives ${name} no ${attribute}`);
        }
    }
    return attributes;
}
