// Building nodes of the document. Strings become text nodes, never markup.

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

/** The element with that id, which index.html holds. */
export function byId(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`index.html has no #${id}`);
    return found;
}

function fill(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === false || value === null || value === undefined) continue;
        node.setAttribute(name, value === true ? "" : String(value));
    }
    node.append(...children);
    return node;
}
