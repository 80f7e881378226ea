// Puts a conversation into a folder, and tags it. Both are this user's own.

import { element, setText } from "../element.js";
import { text } from "../language.js";
import { tagsIn } from "../tags.js";
import { titleOf } from "../wording.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";

const newFolder = "new";
const nameMax = 64;

/** Opens it for a conversation, with the current folders and tags. */
export async function openDialog(connection, conversation) {
    const [{ folders }, { tags }] = await Promise.all([
        connection.request("folder.list"), connection.request("tag.list"),
    ]);
    const parts = makeParts(conversation, folders, tags);
    const { chooser, name, tagField, problem, form } = parts;
    const heading = text("folders.heading", { title: titleOf(conversation) });
    const dialog = createDialog("organise-dialog", heading, [form]);
    chooser.addEventListener("change", () => {
        parts.nameRow.hidden = chooser.value !== newFolder;
        if (!parts.nameRow.hidden) name.focus();
    });
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        try {
            await save(connection, conversation, {
                folder: chooser.value, name: name.value.trim(), tags: tagsIn(tagField.value),
            });
            dialog.close();
        } catch (error) {
            setText(problem, error.message);
        }
    });
    dialog.showModal();
}

async function save(connection, { id, folder: before, tags: known = [] }, { folder, name, tags }) {
    let target = folder || undefined;
    if (folder === newFolder) {
        target = (await connection.request("folder.create", { name })).folder.id;
    }
    if (target !== before) {
        await connection.request("conversation.file", { conversation: id, folder: target });
    }
    if (tags.join() !== known.join()) {
        await connection.request("conversation.tag", { conversation: id, tags });
    }
}

function makeParts(conversation, folders, tags) {
    const options = [
        ["", text("folders.none")], ...folders.map(({ id, name }) => [id, name]),
        [newFolder, text("folders.new")],
    ];
    const chooser = element("select", { id: "organise-folder", "data-testid": "organise-folder" },
        options.map(([value, label]) => element(
            "option", { value, selected: value === (conversation.folder ?? "") }, [label])));
    const name = element("input", {
        id: "organise-name", "data-testid": "organise-name", maxlength: nameMax, dir: "auto",
        autocomplete: "off",
    });
    const nameRow = element("div", { hidden: true }, [
        element("label", { for: "organise-name" }, [text("folders.name")]), name,
    ]);
    const tagField = element("input", {
        id: "organise-tags", "data-testid": "organise-tags", dir: "auto", autocomplete: "off",
        value: (conversation.tags ?? []).join(", "), "aria-describedby": "organise-hint",
    });
    const problem = element("p", {
        class: "form-error", role: "alert", "data-testid": "organise-error",
    });
    const form = element("form", { method: "dialog", class: "organise" }, [
        element("label", { for: "organise-folder" }, [text("folders.folder")]), chooser, nameRow,
        element("label", { for: "organise-tags" }, [text("folders.tags")]), tagField,
        knownTags(tags, tagField),
        element("p", { id: "organise-hint", class: "hint" }, [text("folders.hint")]), problem,
        dialogButtons(closeButton(text("common.cancel")), element(
            "button", { class: "primary", "data-testid": "organise-save" }, [text("folders.save")])),
    ]);
    return { chooser, name, nameRow, tagField, problem, form };
}

/** Buttons that add a tag that this user has already. */
function knownTags(tags, field) {
    return element("div", { class: "tag-choices" }, tags.map(({ name }) => {
        const button = element("button", {
            type: "button", class: "tag", "aria-label": text("folders.tag.add", { name }),
        }, [name]);
        button.addEventListener("click", () => {
            field.value = tagsIn(`${field.value},${name}`).join(", ");
            field.focus();
        });
        return button;
    }));
}
