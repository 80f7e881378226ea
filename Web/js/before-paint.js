// Applies this device's theme and density before the page is first painted: a classic script in the
// head, since modules run later, and a page of the wrong theme would flash. appearance.js stores them.

{
    const apply = ({ theme, density } = {}) => {
        const root = document.documentElement;
        root.dataset.theme = ["light", "dark"].includes(theme) ? theme : "system";
        root.dataset.density = density === "compact" ? density : "comfortable";
    };
    const stored = () => {
        try {
            return JSON.parse(localStorage.getItem("stoa.appearance")) ?? {};
        } catch {
            return {};
        }
    };
    apply(stored());
    // A choice in this tab, and in another one.
    window.addEventListener("stoa-appearance", ({ detail }) => apply(detail));
    window.addEventListener("storage", ({ key }) => {
        if (key === "stoa.appearance") apply(stored());
    });
}
