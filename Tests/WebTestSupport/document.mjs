// As much of a document as the modules for text need: elements with attributes and children, and text
// nodes. It records what was made, so that tests can tell whether a node was kept.

class Node {
    parent = null;
    childNodes = [];

    append(...children) {
        for (const child of children) {
            const node = typeof child === "string" ? new Text(child) : child;
            node.remove();
            node.parent = this;
            this.childNodes.push(node);
        }
    }

    remove() {
        if (!this.parent) return;
        this.parent.childNodes.splice(this.parent.childNodes.indexOf(this), 1);
        this.parent = null;
    }

    replaceWith(node) {
        const { parent } = this;
        const index = parent.childNodes.indexOf(this);
        node.parent = parent;
        parent.childNodes[index] = node;
        this.parent = null;
    }

    replaceChildren(...children) {
        for (const child of [...this.childNodes]) child.remove();
        this.append(...children);
    }

    get firstChild() {
        return this.childNodes[0] ?? null;
    }

    get lastChild() {
        return this.childNodes.at(-1) ?? null;
    }

    get textContent() {
        return this.childNodes.map((child) => child.data ?? child.textContent).join("");
    }

    set textContent(text) {
        this.replaceChildren(...text === "" ? [] : [text]);
    }
}

class Text extends Node {
    constructor(data) {
        super();
        this.data = data;
    }

    appendData(text) {
        this.data += text;
    }
}

class Element extends Node {
    #attributes = new Map();

    constructor(name) {
        super();
        this.localName = name;
        this.classList = {
            toggle: (one, isWanted = !this.#classes.has(one)) => {
                const classes = this.#classes;
                if (isWanted) classes.add(one);
                else classes.delete(one);
                this.className = [...classes].join(" ");
                return isWanted;
            },
            contains: (one) => this.#classes.has(one),
        };
    }

    get #classes() {
        return new Set((this.getAttribute("class") ?? "").split(" ").filter(Boolean));
    }

    get className() {
        return this.getAttribute("class") ?? "";
    }

    set className(text) {
        this.setAttribute("class", text);
    }

    get attributes() {
        return [...this.#attributes].map(([name, value]) => ({ name, value }));
    }

    setAttribute(name, value) {
        this.#attributes.set(name, String(value));
    }

    getAttribute(name) {
        return this.#attributes.get(name) ?? null;
    }

    hasAttribute(name) {
        return this.#attributes.has(name);
    }

    removeAttribute(name) {
        this.#attributes.delete(name);
    }

    addEventListener() {}

    get children() {
        return this.childNodes.filter((node) => node instanceof Element);
    }

    /** All elements in it. */
    get descendants() {
        return this.children.flatMap((child) => [child, ...child.descendants]);
    }
}

globalThis.document = {
    createElement: (name) => new Element(name),
    createElementNS: (_, name) => new Element(name),
    createTextNode: (text) => new Text(text),
};
