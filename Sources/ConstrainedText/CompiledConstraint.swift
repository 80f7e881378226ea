// A form after its compilation: what can be checked without a model.

/// A compiled form. Compiling takes milliseconds and its work is bounded; still, an event loop
/// lets another thread do it.
public struct CompiledConstraint: Sendable {
    let grammar: Grammar

    /// Compiles a form.
    /// - Throws: `ConstraintError` for what is not supported, with the place in the schema.
    public init(_ constraint: AnswerConstraint) throws(ConstraintError) {
        switch constraint {
        case .jsonObject: grammar = try SchemaCompiler.anyObject()
        case .jsonSchema(let schema), .calls(_, let schema):
            grammar = try SchemaCompiler.compile(schema)
        case .pattern(let pattern):
            var builder = GrammarBuilder()
            let root = try PatternParser.compile(pattern, with: &builder)
            grammar = builder.finish(root)
        }
    }

    /// Compiles a regular expression that may match anywhere in a text.
    init(searching pattern: String) throws(ConstraintError) {
        var builder = GrammarBuilder()
        let root = try PatternParser.compile(pattern, isSearched: true, with: &builder)
        grammar = builder.finish(root)
    }
}
