// A conversation's messages by their parents: which stand beside each other, and which branch is shown.
// The rules are docs/reference/protocol.md's ("The tree"); Sources/ChatCore/MessageTree.swift is the same in
// the server's language.

/** The tree of one conversation's messages, as far as it was told. */
export class MessageTree {
    /** The message that was made last; null while there is none. */
    newest = null;

    /** By id: `{parent, children}`; of a parent that nobody told of, only its children are known. */
    #nodes = new Map();
    #roots = [];
    #orphans = new Map();

    /** Whether the tree has, or was told of, a message. */
    has(id) {
        return this.#nodes.has(id);
    }

    /** The message that one follows, or null. */
    parentOf(id) {
        return this.#nodes.get(id)?.parent ?? null;
    }

    /** The messages in one place, this one among them, oldest first. */
    siblingsOf(id) {
        return this.has(id) ? this.childrenOf(this.parentOf(id)) : [];
    }

    /** The replies to a message, or, for null, the first messages; oldest first. */
    childrenOf(id) {
        if (id === null) return this.#roots;
        return this.#nodes.get(id)?.children ?? this.#orphans.get(id) ?? [];
    }

    /** The last message of the branch through `id`, from there always on to the newest reply. */
    leafThrough(id) {
        if (!this.has(id)) return null;
        let leaf = id;
        for (let next = leaf; next !== undefined; next = this.childrenOf(leaf).at(-1)) leaf = next;
        return leaf;
    }

    /** The branch that is shown, oldest first: the one through `selected`, or the newest message's. */
    shownBranch(selected) {
        const branch = [];
        let next = this.leafThrough(selected !== null && this.has(selected) ? selected : this.newest);
        while (next !== null && this.has(next)) {
            branch.push(next);
            next = this.parentOf(next);
        }
        return branch.reverse();
    }

    /** A message was made. */
    insert(id, parent) {
        this.#add(id, parent);
        this.newest = id;
    }

    /**
     * A message that was there before became known. `siblings`: all in its place, as they were told;
     * those that are here and not in the list were made later.
     */
    learn(id, parent, siblings = []) {
        this.#add(id, parent);
        if (siblings.length < 2) return;
        for (const sibling of siblings) this.#add(sibling, parent);
        const later = this.childrenOf(parent).filter((child) => !siblings.includes(child));
        this.#setChildren(parent, [...siblings, ...later]);
    }

    /** Messages were deleted: one, and after it all that was below. */
    remove(ids) {
        const gone = new Set(ids);
        const place = this.parentOf(ids[0]);
        for (const id of ids) {
            this.#orphans.delete(id);
            if (!this.has(id)) continue;
            const parent = this.parentOf(id);
            this.#nodes.delete(id);
            if (gone.has(parent)) continue;
            this.#setChildren(parent, this.childrenOf(parent).filter((child) => child !== id));
        }
        if (gone.has(this.newest)) this.newest = this.leafThrough(place ?? this.#roots.at(-1));
    }

    #add(id, parent) {
        if (this.has(id)) return;
        this.#nodes.set(id, { parent, children: this.#orphans.get(id) ?? [] });
        this.#orphans.delete(id);
        this.#setChildren(parent, [...this.childrenOf(parent), id]);
    }

    #setChildren(parent, children) {
        if (parent === null) this.#roots = children;
        else if (this.has(parent)) this.#nodes.get(parent).children = children;
        else this.#orphans.set(parent, children);
    }
}
