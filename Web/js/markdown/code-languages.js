// The names of languages after a fence: how Prism calls each, and the ending of a file.

const languages = {
    bash: "bash sh shell zsh console sh", c: "c c h", clike: "", cpp: "cpp cpp c++ cc cxx hpp",
    csharp: "cs csharp c# cs", css: "css css", diff: "diff diff patch",
    docker: "Dockerfile dockerfile docker",
    elixir: "ex elixir ex exs", go: "go go golang", haskell: "hs haskell hs", ini: "ini ini conf",
    java: "java java", javascript: "js javascript js mjs cjs node", json: "json json jsonc json5",
    jsx: "jsx jsx", julia: "jl julia jl", kotlin: "kt kotlin kt kts", latex: "tex latex tex",
    lua: "lua lua", makefile: "mk makefile make", markdown: "md markdown md",
    markup: "html html xml svg xhtml vue", matlab: "m matlab octave", nginx: "conf nginx",
    perl: "pl perl pl", php: "php php", powershell: "ps1 powershell ps1 pwsh",
    python: "py python py python3 py3", r: "r r", ruby: "rb ruby rb", rust: "rs rust rs",
    scala: "scala scala", sql: "sql sql postgresql postgres mysql sqlite plpgsql", swift: "swift swift",
    toml: "toml toml", tsx: "tsx tsx", typescript: "ts typescript ts", yaml: "yaml yaml yml",
};
const byName = new Map();
for (const [language, words] of Object.entries(languages)) {
    const [ending, ...names] = words.split(" ");
    for (const name of names) byName.set(name, { language, ending });
}

/** `{language, ending}` of a name after a fence; unknown ones are plain text. */
export function languageNamed(name) {
    return byName.get(name.toLowerCase()) ?? { language: null, ending: "txt" };
}

/** A name for a file with that code: the one that its fence names, or one by its language. */
export function fileNameOf({ language, fileName }) {
    if (fileName) return fileName;
    const { ending } = languageNamed(language);
    if (ending === "Dockerfile") return ending;
    // One language of Prism's has several endings.
    return `code.${/^(?:xml|svg|vue)$/i.test(language) ? language.toLowerCase() : ending}`;
}
