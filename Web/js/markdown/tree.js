// Converts markdown-it's tokens to a tree of what may be shown. Tokens that this module does not know
// become plain text.
//
// A node of the tree is a string, an element `{name, attributes, children}`, or a part that draws
// itself: `{part: "code", language, fileName, text}` or `{part: "formula", text, isDisplayed,
// isOpen}`. Images become links: loading a picture would tell its server who reads it.

import { text as worded } from "../language.js";
import { safeAddress } from "./links.js";
import { unescaped } from "./parser.js";

const elementsOfTokens = {
    paragraph: "p", blockquote: "blockquote", bullet_list: "ul", ordered_list: "ol", list_item: "li",
    table: "table", thead: "thead", tbody: "tbody", tr: "tr", th: "th", td: "td",
    strong: "strong", em: "em", s: "del",
};
/** Elements whose direction follows their own text. */
const directed = new Set(["p", "h3", "h4", "h5", "h6", "li", "blockquote", "th", "td"]);

/** The nodes of a text's tokens, those of its notes last. */
export function treeOf(tokens) {
    const notes = new Notes();
    const nodes = nodesOf(tokens, notes);
    return [...nodes, ...notes.nodes];
}

/** The footnotes of a text, numbered in the order of their references. */
class Notes {
    #texts = new Map();
    #numbers = new Map();

    add(name, children) {
        if (!this.#texts.has(name)) this.#texts.set(name, children);
    }

    reference(name) {
        if (!this.#numbers.has(name)) this.#numbers.set(name, this.#numbers.size + 1);
        const number = this.#numbers.get(name);
        const label = worded("markdown.note", { number });
        return node("sup", {}, [
            node("button", { "type": "button", "class": "note-link", "data-note": number,
                "aria-label": label }, [String(number)])]);
    }

    /** The list of the notes that are referred to. */
    get nodes() {
        const items = [...this.#numbers].map(([name, number]) => {
            const label = worded("markdown.noteBack", { number });
            const back = node("button", { "type": "button", "class": "note-link",
                "data-note-back": number, "aria-label": label }, ["↩"]);
            return node("li", { "dir": "auto", "data-note-text": number, "tabindex": -1 },
                [...this.#texts.get(name) ?? [], back]);
        });
        if (items.length === 0) return [];
        return [node("div", { "class": "notes", "role": "group",
            "aria-label": worded("markdown.notes") }, [node("ol", {}, items)])];
    }
}

function node(name, attributes, children) {
    return { name, attributes, children: joined(children) };
}

/** Neighbouring strings as one, so that a string is always one text node. */
function joined(children) {
    const result = [];
    for (const child of children) {
        if (child === "") continue;
        if (typeof child === "string" && typeof result.at(-1) === "string") {
            result.push(result.pop() + child);
        } else {
            result.push(child);
        }
    }
    return result;
}

/** The nodes of tokens, which open and close like brackets. */
function nodesOf(tokens, notes) {
    const root = { children: [] };
    const open = [root];
    for (const token of tokens) {
        if (token.nesting > 0) {
            open.push({ token, children: [] });
        } else if (token.nesting < 0) {
            const { token: opening, children } = open.pop();
            open.at(-1).children.push(...elementNodes(opening, children, open, notes));
        } else {
            open.at(-1).children.push(...leafNodes(token, notes, open));
        }
    }
    return joined(root.children);
}

/** The nodes of an opening token and its children. */
function elementNodes(token, children, open, notes) {
    const type = token.type.replace(/_open$/, "");
    switch (type) {
    case "paragraph":
        // A tight list's items have no paragraphs.
        return token.hidden ? children : [element("p", {}, children)];
    case "heading":
        // The page itself uses the first two heading levels.
        return [element(`h${Math.min(Number(token.tag[1]) + 2, 6)}`, {}, children)];
    case "ordered_list": {
        const start = Number(token.attrGet("start") ?? 1);
        return [element("ol", start === 1 ? {} : { start }, children)];
    }
    case "list_item":
        return [itemNode(token, children)];
    case "table":
        // Wide tables scroll in their own box.
        return [node("div", { class: "table-box", tabindex: 0 }, [element("table", {}, children)])];
    case "th": case "td":
        return [element(type, token.meta ? { class: `align-${token.meta.align}` } : {}, children)];
    case "link":
        return linkNodes(token.attrGet("href"), children, open);
    case "note":
        notes.add(token.meta.name, children);
        return [];
    default:
        return elementsOfTokens[type] ? [element(elementsOfTokens[type], {}, children)] : children;
    }
}

function element(name, attributes, children) {
    return node(name, directed.has(name) ? { dir: "auto", ...attributes } : attributes, children);
}

/** An item of a list; that of a task begins with a checkbox, which nobody can change. */
function itemNode({ meta }, children) {
    if (!meta) return element("li", {}, children);
    const box = node("input", {
        "type": "checkbox", "disabled": true, "checked": meta.isDone, "aria-label": meta.label,
    }, []);
    const [first, ...rest] = children;
    return element("li", { class: "task" }, first?.name === "p"
        ? [{ ...first, children: [box, " ", ...first.children] }, ...rest]
        : [box, " ", ...children]);
}

function leafNodes(token, notes, open) {
    switch (token.type) {
    case "inline": return nodesOf(token.children, notes);
    case "text": return [token.content];
    // Line ends are shown: people write them on purpose, and models seldom wrap lines.
    case "softbreak": case "hardbreak": return [node("br", {}, [])];
    case "code_inline": return [node("code", {}, [token.content])];
    case "hr": return [node("hr", {}, [])];
    case "image": return linkNodes(token.attrGet("src"), [plainText(token.children)], open);
    case "code_block": return [codeNode("", token.content)];
    case "fence": return [codeNode(unescaped(token.info), token.content)];
    case "formula": return [{ part: "formula", text: token.content, ...token.meta }];
    case "note_reference": return [notes.reference(token.meta.name)];
    case "deep_text": return [element("p", {}, [token.content])];
    default: return [token.content];
    }
}

function linkNodes(written, children, open) {
    const address = safeAddress(written);
    // Links don't contain links.
    const isInLink = open.some(({ token }) => token?.type === "link_open");
    if (address === null || isInLink) return children;
    return [node("a", {
        href: address,
        rel: "noopener noreferrer nofollow",
        target: "_blank",
        title: address,
    }, children)];
}

/** Text without its marks. */
function plainText(tokens) {
    return tokens.map((token) => {
        if (token.type === "softbreak" || token.type === "hardbreak") return "\n";
        return token.type === "image" ? plainText(token.children) : token.content;
    }).join("");
}

/** Code. The first word after the fence is its language, with a colon or in a later word its file. */
function codeNode(info, content) {
    const [first = "", ...rest] = info.trim().split(/\s+/);
    const [language, after] = first.split(":", 2);
    const named = [after ?? "", ...rest].map((word) =>
        /([\w-][\w.-]*\.\w{1,10})["'}]*$/.exec(word)?.[1]);
    return {
        part: "code",
        language: language.slice(0, 40),
        fileName: named.find(Boolean) ?? null,
        text: content.replace(/\n$/, ""),
    };
}
