// What bounds the work of compiling a form and of following it.

/// The limits of forms.
enum ConstraintLimits {
    /// Maximum size of a schema's text in bytes.
    static let schemaBytesMax = 256 << 10
    /// Maximum number of JSON values in a schema.
    static let schemaValuesMax = 20_000
    /// Maximum number of schemas that are brought together for `allOf`, `anyOf` and `$ref`.
    static let flattenedMax = 5_000
    /// Maximum number of schemas in `oneOf`, which are compared with each other.
    static let oneOfMax = 32
    /// Maximum nesting of a schema, with the references that are followed to its parts.
    static let schemaDepthMax = 64
    /// Maximum number of values in `enum`.
    static let enumerationMax = 1_000
    /// Maximum length of a property's name that additional properties must not have.
    static let nameMax = 256
    /// Maximum size of a regular expression in bytes.
    static let patternBytesMax = 4 << 10
    /// Maximum nesting of groups in a regular expression.
    static let patternDepthMax = 64
    /// Maximum number of nodes of a grammar.
    static let nodesMax = 50_000
    /// Maximum of a count, such as `minLength`: one that must be larger is refused, a larger
    /// maximum counts as this one.
    static let countMax = 1_000_000
    /// From this nesting of arrays and objects on, an answer takes the shortest way to its end.
    /// Readers of JSON accept at least this nesting.
    static let answerDepthMax = 32

    /// Maximum number of ways to read a text that are followed at once. Of more, those with the
    /// shortest ends are followed: what is accepted still has the form.
    static let itemsMax = 1_024
    /// Maximum number of states of an automaton; then those that are not needed are dropped.
    static let statesMax = 4_096
    /// Maximum number of positions in the grammar that an automaton stores.
    static let framesMax = 65_536
    /// Maximum number of masks that an automaton stores.
    static let masksMax = 64
    /// Maximum work for one mask, in visited nodes and items. A mask that needs more allows fewer
    /// tokens than it could.
    static let maskWorkMax = 2_000_000
}
