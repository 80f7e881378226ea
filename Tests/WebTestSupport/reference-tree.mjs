// Reads the HTML of a specification's example to a tree like that of Web/js/markdown/tree.js, with the
// page's own rules applied: raw HTML is not compared, headings are two levels deeper, images and
// forbidden links are their text, and line ends are breaks.

import { safeAddress } from "../../Web/js/markdown/links.js";

const empty = new Set(["br", "hr", "img", "input"]);
const entities = { amp: "&", lt: "<", gt: ">", quot: "\"" };

/** The nodes of an example's HTML. */
export function referenceTree(html) {
    const root = { name: "root", attributes: {}, children: [] };
    const open = [root];
    for (const [, closing, name, attributes, text] of html.matchAll(
        /<(\/?)([a-z]\w*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*\/?>|([^<]+)/g)) {
        if (text !== undefined) {
            open.at(-1).children.push(decoded(text));
        } else if (closing) {
            open.pop();
        } else {
            const node = { name, attributes: attributesOf(attributes), children: [] };
            open.at(-1).children.push(node);
            if (!empty.has(name)) open.push(node);
        }
    }
    return trimmed(root.children.flatMap((child) => shown(child, root)));
}

/** The addresses of an example's links and images, in order. */
export function referenceAddresses(html) {
    return [...html.matchAll(/<(?:a href|img src)="([^"]*)"/g)].map(([, address]) => decoded(address));
}

/** The same form of a tree of the page: without attributes that only the page has. */
export function comparable(nodes, name = "root") {
    return trimmed(nodes.flatMap((node) => {
        if (typeof node === "string") return brokenLines(node, { name });
        if (node.part === "code") return [{ name: "pre", language: node.language, children: [node.text] }];
        if (node.part) return [node];
        if (node.name === "div" && node.attributes.class === "table-box") return comparable(node.children);
        return [simple(node.name, node.attributes, comparable(node.children, node.name))];
    }));
}

function shown(node, parent) {
    if (typeof node === "string") return brokenLines(node, parent);
    const { name, attributes } = node;
    if (name === "pre") return [codeOf(node)];
    if (name === "img") return linked(attributes.src, [attributes.alt].filter(Boolean), parent);
    const children = node.children.flatMap((child) => shown(child, name === "a" ? { ...node, isLink: true } : node));
    if (name === "a") return linked(attributes.href, children, parent);
    const heading = /^h([1-6])$/.exec(name);
    if (heading) return [simple(`h${Math.min(Number(heading[1]) + 2, 6)}`, {}, children)];
    return [simple(name, attributes, children)];
}

function codeOf({ children: [code] }) {
    const language = (code.attributes.class ?? "").replace(/^language-/, "").split(":")[0];
    const text = code.children.join("").replace(/\n$/, "");
    return { name: "pre", language, children: text === "" ? [""] : [text] };
}

function linked(address, children, parent) {
    const safe = safeAddress(address);
    return safe === null || parent.isLink ? children : [simple("a", { href: safe }, children)];
}

/** Between blocks, line ends mean nothing; in text, each is a break. */
function brokenLines(text, parent) {
    if (parent.name === "code") return [text];
    if (["ul", "ol", "blockquote", "root", "table", "thead", "tbody", "tr"].includes(parent.name)) {
        return text.trim() === "" ? [] : [text];
    }
    return text.split("\n").flatMap((line, index) => index === 0 ? [line] : [simple("br", {}, []), line]);
}

function simple(name, attributes, children) {
    const kept = {};
    for (const one of ["href", "start", "type", "checked"]) {
        if (attributes[one] !== undefined && attributes[one] !== false) {
            kept[one] = attributes[one] === true ? "" : String(attributes[one]);
        }
    }
    const align = attributes.align ?? /^align-(\w+)$/.exec(attributes.class ?? "")?.[1];
    return { name, ...kept, ...align && { align }, children: trimmed(children) };
}

/** Without empty texts, breaks next to blocks, and a second break of one line end. */
function trimmed(children) {
    const isBlock = (node) => node === undefined
        || /^(?:p|pre|ul|ol|li|blockquote|h\d|hr|table|div)$/.test(node.name ?? "");
    const joined = [];
    for (const child of children) {
        if (child === "") continue;
        if (typeof child === "string" && typeof joined.at(-1) === "string") joined.push(joined.pop() + child);
        else if (child.name !== "br" || joined.at(-1)?.name !== "br") joined.push(child);
    }
    return joined.filter((child, index) =>
        child.name !== "br" || !isBlock(joined[index - 1]) && !isBlock(joined[index + 1]));
}

function attributesOf(written) {
    const found = written.matchAll(/([a-z-]+)(?:="([^"]*)")?/g);
    return Object.fromEntries([...found].map(([, name, value = ""]) => [name, decoded(value)]));
}

function decoded(text) {
    return text.replaceAll(/&(amp|lt|gt|quot);/g, (_, name) => entities[name]);
}
