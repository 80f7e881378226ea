// Lists of tasks as on GitHub (GFM 0.29, section 5.3): items that begin with `[ ]` or `[x]`.

/** Adds the rule to a parser: a task's item has `meta: {isDone, label}`. */
export function tasks(parser) {
    parser.core.ruler.after("inline", "tasks", ({ tokens }) => {
        tokens.forEach((item, index) => {
            if (item.type !== "list_item_open") return;
            const [paragraph, inline] = tokens.slice(index + 1, index + 3);
            if (paragraph?.type === "paragraph_open") readTask(item, inline);
        });
    });
}

function readTask(item, inline) {
    const found = /^\[([ xX])\][ \t\n]/.exec(inline.content);
    const first = inline.children[0];
    // In a link's brackets it is no task.
    if (!found || first?.type !== "text" || !/^\[[ xX]\]/.test(first.content)) return;
    first.content = first.content.slice(3).trimStart();
    const label = inline.children.map(({ content }) => content).join("").trim().slice(0, 200);
    item.meta = { isDone: found[1] !== " ", label };
}
