// The search filters: author, scope and time. They open with a button beside the field.

import { byId, element, setAttribute } from "../element.js";
import { text } from "../language.js";
import { filterCountOf } from "../search-fields.js";
import { filtersLabelOf } from "../wording.js";

/** The filters. Dispatches "changed". */
export class SearchFilters extends EventTarget {
    #teams;
    #button = byId("search-filters-open");
    #panel = byId("search-filters");
    #where = byId("search-where");

    constructor(teams) {
        super();
        this.#teams = teams;
        this.#button.addEventListener("click", () => this.#toggle(this.#panel.hidden));
        this.#panel.addEventListener("input", () => this.#changed());
        this.#panel.addEventListener("keydown", (event) => {
            if (event.key !== "Escape") return;
            event.preventDefault();
            event.stopPropagation();
            this.#toggle(false);
            this.#button.focus();
        });
        byId("search-filters-clear").addEventListener("click", () => {
            this.clear();
            byId("search-author").focus();
        });
        teams.addEventListener("changed", () => this.#drawTeams());
        this.#drawTeams();
    }

    /** The selected values. */
    get values() {
        return {
            author: byId("search-author").value,
            where: this.#where.value,
            from: byId("search-from").value,
            to: byId("search-to").value,
        };
    }

    /** Clears all of them. */
    clear() {
        for (const id of ["search-author", "search-from", "search-to"]) byId(id).value = "";
        this.#where.value = "";
        this.#changed();
    }

    #toggle(isOpen) {
        this.#panel.hidden = !isOpen;
        this.#button.setAttribute("aria-expanded", String(isOpen));
        if (isOpen) byId("search-author").focus();
    }

    #drawTeams() {
        const chosen = this.#where.value;
        this.#where.replaceChildren(
            element("option", { value: "" }, [text("search.everywhere")]),
            element("option", { value: "conversation" }, [
                text("search.open-conversation")]),
            ...this.#teams.all.map(({ id, name }) => element("option", { value: id }, [
                text("search.in-team", { team: name })])));
        this.#where.value = chosen;
        // The team may have been deleted.
        if (this.#where.selectedIndex < 0) this.#where.value = "";
    }

    #changed() {
        const count = filterCountOf(this.values);
        const label = filtersLabelOf(count);
        setAttribute(this.#button, "aria-label", label);
        setAttribute(this.#button, "title", label);
        this.#button.toggleAttribute("data-active", count > 0);
        byId("search-filters-clear").hidden = count === 0;
        this.dispatchEvent(new CustomEvent("changed"));
    }
}
