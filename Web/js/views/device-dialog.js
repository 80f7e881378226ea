// Signs a device in by the code that it shows (docs/use/terminal.md). Its answer is asked for with what
// is known of the device: the name is what the device says, the address is what the server has seen.

import { element, setText } from "../element.js";
import { text } from "../language.js";
import { exactTimeWithin } from "../wording.js";
import { closeButton, createDialog, dialogButtons } from "./dialogs.js";
import { showToast } from "./toast.js";

/** Opens it, unless it is open. */
export function openDialog(connection) {
    if (document.getElementById("device-dialog")) return;
    const code = element("input", {
        id: "device-code", "data-testid": "device-code", class: "secret", autocomplete: "off",
        autocapitalize: "characters", spellcheck: "false", maxlength: 20, required: true,
    });
    const problem = element("p", {
        class: "form-error", role: "alert", "data-testid": "device-error",
    });
    const next = element(
        "button", { class: "primary", "data-testid": "device-next" }, [text("device.next")]);
    const form = element("form", { method: "dialog" }, [
        element("p", { class: "hint" }, [text("device.lead")]),
        element("label", { for: "device-code" }, [text("device.code")]), code, problem,
        dialogButtons(closeButton(text("common.cancel")), next),
    ]);
    const dialog = createDialog("device-dialog", text("device.heading"), [form]);
    form.addEventListener("submit", async (event) => {
        event.preventDefault();
        problem.textContent = "";
        next.disabled = true;
        try {
            const device = await connection.request("device.find", { user_code: code.value });
            form.replaceWith(question(connection, dialog, code.value, device));
            dialog.querySelector("[data-testid=device-refuse]").focus();
        } catch (error) {
            setText(problem, problemOf(error));
            code.select();
            code.focus();
        } finally {
            next.disabled = false;
        }
    });
    dialog.showModal();
    code.focus();
}

/** What is known of the device, the warning, and the two answers. */
function question(connection, dialog, code, device) {
    const problem = element("p", {
        class: "form-error", role: "alert", "data-testid": "device-error",
    });
    const facts = [
        ["device.name", device.device],
        ["device.address", device.address ?? text("device.address.unknown")],
        ["device.asked", exactTimeWithin(device.asked_at)],
    ];
    const answer = (name, attributes, isConfirmed) => {
        const button = element(
            "button", { type: "button", "data-testid": `device-${name}`, ...attributes },
            [text(`device.${name}`)]);
        button.addEventListener("click", async () => {
            problem.textContent = "";
            try {
                await connection.request("device.answer", {
                    user_code: code, confirmed: isConfirmed,
                });
                dialog.close();
                showToast(text(isConfirmed ? "device.confirmed" : "device.refused"));
            } catch (error) {
                setText(problem, problemOf(error));
            }
        });
        return button;
    };
    return element("div", { "data-testid": "device-question" }, [
        element("p", {}, [text("device.question")]),
        element("dl", { class: "facts" }, facts.flatMap(([key, value]) => [
            element("dt", {}, [text(key)]), element("dd", { dir: "auto" }, [value]),
        ])),
        element("p", { class: "warning" }, [text("device.warning")]), problem,
        dialogButtons(
            answer("refuse", { class: "danger" }, false),
            answer("confirm", { class: "primary" }, true)),
    ]);
}

function problemOf(error) {
    if (error.code === "not_found") return text("device.none");
    if (error.code === "rate_limited") return text("device.wait");
    return error.message;
}
