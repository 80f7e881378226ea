// KaTeX, which typesets formulas. Only its tree of MathML is used, never its HTML. This is the only
// module that names the package, and it is loaded with the first formula.

export { default as katex } from "katex";
