// Theme and density, chosen for this device: before-paint.js applies them.

/** The choices, the default first. */
export const themes = ["system", "light", "dark"];
export const densities = ["comfortable", "compact"];

/** The applied choices, as `{theme, density}`. */
export function appearance() {
    const { theme, density } = document.documentElement.dataset;
    return { theme, density };
}

/** Changes some of the choices, now and for later visits. */
export function setAppearance(changes) {
    const detail = { ...appearance(), ...changes };
    try {
        localStorage.setItem("stoa.appearance", JSON.stringify(detail));
    } catch {
        // Storage is off: the choice ends with the page.
    }
    window.dispatchEvent(new CustomEvent("stoa-appearance", { detail }));
}
