// The part "Language" of the account dialog: the language of the page on this device.

import { element } from "../element.js";
import { languages, storeLanguage, storedLanguage, text } from "../language.js";

/** The part. A choice loads the page again, whose drafts and unsent messages stay. */
export function languagePart() {
    const stored = storedLanguage();
    const option = (value, name, attributes) =>
        element("option", { value, selected: value === stored, ...attributes }, [name]);
    const chooser = element("select", { id: "language", "data-testid": "language" }, [
        option("", text("language.browser")),
        ...Object.entries(languages).map(([value, { name }]) => option(value, name, { lang: value })),
    ]);
    chooser.addEventListener("change", () => {
        storeLanguage(chooser.value);
        location.reload();
    });
    return element("details", { id: "language-part", "data-testid": "language-part" }, [
        element("summary", {}, [text("language.title")]),
        element("label", { for: "language", class: "visually-hidden" }, [text("language.title")]),
        chooser,
        element("p", { class: "hint" }, [text("language.hint")]),
    ]);
}
