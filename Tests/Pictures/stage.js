// Runs before the page in the browser of the pictures: the time, language, fonts and motion that a picture
// shows are always the same ones. MOMENT is replaced by the scene's time.

{
    const moment = Date.parse(MOMENT);
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
        constructor(...parts) {
            if (parts.length === 0) super(moment);
            else super(...parts);
        }

        static now() {
            return moment;
        }
    };
    Object.defineProperty(Navigator.prototype, "languages", { get: () => ["en-GB"] });

    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`
        :root { --font: Inter; --mono: "DejaVu Sans Mono"; }
        *, ::before, ::after { animation: none !important; transition: none !important; }
        input, textarea { caret-color: transparent !important; }
    `);
    document.adoptedStyleSheets = [sheet];
}
