// Why a form was refused.

/// Why a JSON Schema or a regular expression was refused.
public struct ConstraintError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Where the problem is in the schema, as a JSON pointer (RFC 6901); empty for the schema as a
    /// whole and for a plain regular expression.
    public var pointer: String
    /// What is wrong, and what to write instead where there is something.
    public var reason: String

    /// Creates an error.
    public init(at pointer: String = "", _ reason: String) {
        self.pointer = pointer
        self.reason = reason
    }

    /// The pointer and the reason.
    public var description: String { pointer.isEmpty ? reason : "\(pointer): \(reason)" }
}
