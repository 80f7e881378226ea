// A conversation's tree of messages: siblings, and the visible branch. The rules are in
// docs/reference/protocol.md ("The tree"); Sources/ChatCore/MessageTree.swift implements the same.

/** The tree of one conversation's messages, as far as it is known. */
export class MessageTree {
    /** The newest message; null if there is none. */
    newest = null;

    /** `{parent, children}` by id; of an unknown parent only the children are stored. */
    #nodes = new Map();
    #roots = [];
    #orphans = new Map();

    /** Whether the tree knows a message. */
    has(id) {
        return this.#nodes.has(id);
    }

    /** A message's parent, or null. */
    parentOf(id) {
        return this.#nodes.get(id)?.parent ?? null;
    }

    /** The siblings of a message including itself, oldest first. */
    siblingsOf(id) {
        return this.has(id) ? this.childrenOf(this.parentOf(id)) : [];
    }

    /** The children of a message, or for null the first messages; oldest first. */
    childrenOf(id) {
        if (id === null) return this.#roots;
        return this.#nodes.get(id)?.children ?? this.#orphans.get(id) ?? [];
    }

    /** The leaf of the branch through `id`, following the newest replies. */
    leafThrough(id) {
        if (!this.has(id)) return null;
        let leaf = id;
        for (let next = leaf; next !== undefined; next = this.childrenOf(leaf).at(-1)) leaf = next;
        return leaf;
    }

    /** The visible branch, oldest first: the one through `selected`, or the newest. */
    shownBranch(selected) {
        const branch = [];
        let next = this.leafThrough(selected !== null && this.has(selected) ? selected : this.newest);
        while (next !== null && this.has(next)) {
            branch.push(next);
            next = this.parentOf(next);
        }
        return branch.reverse();
    }

    /** Adds a new message. */
    insert(id, parent) {
        this.#add(id, parent);
        this.newest = id;
    }

    /**
     * Adds a loaded message. `siblings`: all its siblings at the time of the reply; known ones that
     * are not in the list are newer.
     */
    learn(id, parent, siblings = []) {
        this.#add(id, parent);
        if (siblings.length < 2) return;
        for (const sibling of siblings) this.#add(sibling, parent);
        const later = this.childrenOf(parent).filter((child) => !siblings.includes(child));
        this.#setChildren(parent, [...siblings, ...later]);
    }

    /** Removes deleted messages: one, and its descendants after it. */
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
