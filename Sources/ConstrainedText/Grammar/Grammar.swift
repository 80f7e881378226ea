// Grammars: what a form is compiled to. A context-free grammar over Unicode scalars with counted
// repetitions, so that `maxLength: 5000` is one node.

/// A compiled grammar.
struct Grammar: Sendable {
    /// A position in `nodes`.
    typealias NodeID = Int32

    /// A part of a grammar. Children have lower numbers, except through `rule`.
    enum Node: Sendable, Hashable {
        /// These bytes; none for the empty text.
        case literal([UInt8])
        /// One scalar of a set; `isEscaped` if it is written as in a JSON string.
        case scalar(set: Int32, isEscaped: Bool)
        /// One after the other. `isContainer` for a JSON array or object, which are counted for
        /// the nesting of an answer.
        case sequence([NodeID], isContainer: Bool)
        /// One of them; of none for what no text has.
        case choice([NodeID])
        /// From `min` to `max` times.
        case repetition(NodeID, min: Int32, max: Int32)
        /// The node that a rule names; rules may be recursive.
        case rule(Int32)
    }

    /// `max` of a repetition without one.
    static let unlimited = Int32.max

    var nodes: [Node] = []
    var sets: [ScalarSet] = []
    /// The node of each rule.
    var rules: [NodeID] = []
    /// The whole text.
    var root: NodeID = 0
}
