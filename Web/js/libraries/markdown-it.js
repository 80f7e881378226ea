// markdown-it, which parses Markdown to tokens. Its HTML renderer is not used. This is the only module
// that names the package; docs/decisions/0035-libraries-of-the-page.md says why it is here.

export { default as MarkdownIt } from "markdown-it";
