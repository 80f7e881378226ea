// Converts KaTeX's tree of a formula to nodes of MathML by an allow-list: `{name, attributes,
// children}` and strings. It never takes KaTeX's HTML.

import { styledLetters } from "./math-letters.js";

const elements = new Set(["math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msup", "msub", "msubsup",
    "mover", "munder", "munderover", "mfrac", "mroot", "msqrt", "mtable", "mtr", "mtd", "mstyle",
    "mpadded", "mphantom", "menclose"]);
const attributeForms = {
    accent: /^(?:true|false)$/, accentunder: /^(?:true|false)$/, columnalign: /^[a-z ]{1,400}$/,
    displaystyle: /^(?:true|false)$/, fence: /^(?:true|false)$/, form: /^(?:prefix|infix|postfix)$/,
    mathbackground: /^#?\w{1,20}$/, mathcolor: /^#?\w{1,20}$/, movablelimits: /^(?:true|false)$/,
    notation: /^[a-z ]{1,100}$/, scriptlevel: /^[+-]?\d$/, separator: /^(?:true|false)$/,
    stretchy: /^(?:true|false)$/, symmetric: /^(?:true|false)$/,
};
for (const name of ["width", "height", "depth", "lspace", "rspace", "voffset", "linethickness",
    "minsize", "maxsize", "mathsize", "columnspacing", "rowspacing"]) {
    attributeForms[name] = /^[+-]?[\d.]{1,12}(?:em|ex|px|pt|%)?(?: [\d.]{1,12}em){0,200}$/;
}
/** What KaTeX colours so is a command that may not be used, without its text. */
const refused = "#c0ffee";
const settings = {
    output: "mathml", throwOnError: true, errorColor: refused, trust: false, strict: "ignore",
    maxSize: 20, maxExpand: 200,
};
const nodesMax = 5_000;
const depthMax = 100;
/** Longer lengths are left out, negative ones as well. KaTeX limits only some. */
const lengthMax = 40;

/** The formula as MathML, or null if KaTeX finds a mistake in it or it is too large. */
export function mathTree(katex, { text, isDisplayed }) {
    try {
        const root = katex.__renderToDomTree(text, { ...settings, displayMode: isDisplayed, macros: {} });
        const [math] = converted(mathIn(root), { left: nodesMax }, { depth: 0, isSized: false });
        return { ...math, attributes: isDisplayed ? { display: "block" } : {} };
    } catch {
        return null;
    }
}

function mathIn(node) {
    if (node.type === "math") return node;
    for (const child of node.children ?? []) {
        const found = mathIn(child);
        if (found) return found;
    }
    return null;
}

function converted(node, budget, { depth, isSized }) {
    budget.left -= 1;
    if (budget.left < 0 || depth > depthMax) throw new RangeError("the formula is too large");
    if (typeof node.text === "string") return [node.text];
    // A space: a character, or an element with a width.
    if (node.type === undefined && node.width !== undefined && node.children === undefined) {
        if (node.character) return [node.character];
        return [{ name: "mspace", attributes: allowedOf({ width: `${node.width}em` }), children: [] }];
    }
    // Sizes in sizes would multiply.
    const attributes = { ...node.attributes };
    if (attributes.mathcolor === refused) throw new TypeError("a command is not allowed");
    if (isSized) delete attributes.mathsize;
    const within = { depth: depth + 1, isSized: isSized || attributes.mathsize !== undefined };
    // The annotation, which comes second, holds the source. The page has that already.
    const parts = node.type === "semantics" ? node.children.slice(0, 1) : node.children;
    const children = parts.flatMap((child) => converted(child, budget, within));
    if (node.type === undefined || node.type === "semantics") return children;
    if (!elements.has(node.type)) throw new TypeError(`MathML element ${node.type} is not allowed`);
    return [elementOf(node.type, attributes, joined(children))];
}

/** Neighbouring strings as one. */
function joined(children) {
    const result = [];
    for (const child of children) {
        const isText = typeof child === "string" && typeof result.at(-1) === "string";
        result.push(isText ? result.pop() + child : child);
    }
    return result;
}

function elementOf(type, attributes, children) {
    const kept = allowedOf(attributes);
    const { mathvariant } = attributes;
    const letters = children.map((child) =>
        typeof child === "string" && mathvariant ? styledLetters(child, mathvariant) : child);
    if (mathvariant === "normal" && type === "mi") kept.mathvariant = mathvariant;
    if (type === "menclose") {
        const enclosed = { class: `enclose ${kept.notation ?? ""}` };
        return { name: "mrow", attributes: enclosed, children: letters };
    }
    if (type === "mtable") alignColumns(letters, kept);
    delete kept.columnalign;
    return { name: type, attributes: kept, children: letters };
}

/** Browsers ignore `columnalign`; the style sheet aligns cells by their class. */
function alignColumns(rows, { columnalign }) {
    if (!columnalign) return;
    const aligns = columnalign.split(" ");
    for (const row of rows) {
        for (const [index, cell] of (row.children ?? []).entries()) {
            const align = aligns[Math.min(index, aligns.length - 1)];
            if (cell.name === "mtd") cell.attributes.class = `align-${align}`;
        }
    }
}

function allowedOf(attributes) {
    return Object.fromEntries(Object.entries(attributes).filter(([name, value]) =>
        Object.hasOwn(attributeForms, name) && attributeForms[name].test(value)
            && !(Math.abs(Number.parseFloat(value)) > lengthMax && /(?:em|ex|px|pt)$/.test(value))));
}
