// Creates DOM nodes from Markdown with an allow-list: only these elements, text only as text nodes,
// and links only to addresses that markdown-links.js allows.

import { copyText } from "./clipboard.js";
import { withVisibleMarks } from "./direction.js";
import { element, setText } from "./element.js";
import { parseBlocks } from "./markdown-blocks.js";
import { parseInline } from "./markdown-inline.js";

const sourceOf = new WeakMap();

/**
 * Shows `text` in `container`. Unchanged blocks keep their nodes, so that a text that grows by a
 * word only redraws its last block, and a selection further up survives.
 */
export function showMarkdown(container, text) {
    const blocks = parseBlocks(text);
    let kept = 0;
    while (kept < blocks.length && isShown(container.children[kept], blocks[kept])) kept += 1;
    while (container.children.length > kept) container.lastElementChild.remove();
    for (const block of blocks.slice(kept)) {
        const node = blockNode(block);
        sourceOf.set(node, block.source);
        container.append(node);
    }
}

function isShown(node, block) {
    return node !== undefined && sourceOf.get(node) === block.source;
}

function blockNode(block) {
    switch (block.type) {
    case "heading":
        // The page itself uses the first two heading levels.
        return inlineElement(`h${Math.min(block.level + 2, 6)}`, block.text);
    case "code":
        return codeNode(block);
    case "list":
        return listNode(block);
    case "quote":
        return element("blockquote", { dir: "auto" }, block.blocks.map(blockNode));
    case "table":
        return tableNode(block);
    case "rule":
        return element("hr");
    default:
        return inlineElement("p", block.text);
    }
}

function listNode({ start, items }) {
    const attributes = start === null || start === 1 ? {} : { start };
    const nodes = items.map((blocks) => element("li", { dir: "auto" }, itemNodes(blocks)));
    return element(start === null ? "ul" : "ol", attributes, nodes);
}

/** A single paragraph in an item is its text, without paragraph spacing. */
function itemNodes(blocks) {
    const [first, ...rest] = blocks;
    if (first?.type !== "paragraph") return blocks.map(blockNode);
    return [...inlineNodes(parseInline(first.text)), ...rest.map(blockNode)];
}

function tableNode({ head, rows }) {
    const row = (name, cells) =>
        element("tr", {}, cells.map((cell) => inlineElement(name, cell)));
    // Wide tables scroll in their own box.
    return element("div", { class: "table-box", tabindex: 0 }, [
        element("table", {}, [
            element("thead", {}, [row("th", head)]),
            element("tbody", {}, rows.map((cells) => row("td", cells))),
        ]),
    ]);
}

function codeNode({ language, text }) {
    const copy = element("button", { type: "button", class: "copy-code" }, ["Copy"]);
    copy.addEventListener("click", async () => {
        setText(copy, await copyText(text) ? "Copied" : "Not copied");
        setTimeout(() => {
            copy.textContent = "Copy";
        }, 1500);
    });
    return element("div", { class: "code-block" }, [
        element("div", { class: "code-head" }, [element("span", {}, [language || "code"]), copy]),
        element("pre", { tabindex: 0 }, [element("code", {}, [withVisibleMarks(text)])]),
    ]);
}

function inlineElement(name, text) {
    return element(name, { dir: "auto" }, inlineNodes(parseInline(text)));
}

function inlineNodes(nodes) {
    return nodes.flatMap((node) => {
        switch (node.type) {
        case "code": return [element("code", {}, [withVisibleMarks(node.text)])];
        case "break": return [element("br")];
        case "strong": return [element("strong", {}, inlineNodes(node.nodes))];
        case "emphasis": return [element("em", {}, inlineNodes(node.nodes))];
        case "deleted": return [element("del", {}, inlineNodes(node.nodes))];
        case "link": return [linkNode(node)];
        case "group": return inlineNodes(node.nodes);
        default: return [node.text];
        }
    });
}

function linkNode({ address, nodes }) {
    const attributes = {
        href: address,
        rel: "noopener noreferrer nofollow",
        target: "_blank",
        title: address,
    };
    return element("a", attributes, inlineNodes(nodes));
}
