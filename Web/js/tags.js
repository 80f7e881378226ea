// Tags as a user types them.

/** The tags of a text, separated by commas, each once. */
export function tagsIn(value) {
    return [...new Set(value.split(/[,،、]/u).map((tag) => tag.trim()).filter(Boolean))];
}
