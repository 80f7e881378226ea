// An operation of the protocol, declared once. Decoding, the server's router, the check of rights,
// the clients' typed requests, docs/reference and the sample requests of tests all follow from it.

/// An operation: what a client requests by its name, with the types of request and reply.
///
/// Each operation is a static member, declared beside its types in this folder:
/// `client.call(.conversationGet, request)` returns what `conversationGet` replies.
public struct Operation<Request: Codable & Sendable, Reply: Codable & Sendable>: Sendable {
    /// The declaration, without the types.
    public let definition: OperationDefinition

    /// The name on the wire.
    public var name: String { definition.name }

    /// Declares an operation.
    /// - Parameters:
    ///   - name: its name on the wire.
    ///   - requirement: the right that the user needs.
    ///   - allowed: who is allowed to, if there is more to it than the requirement; for readers.
    ///   - scope: the scope that an API key needs.
    ///   - rate: the rate limit that applies, if any.
    ///   - takes: the request's fields in Markdown, optional ones as `` `field?` ``; for readers.
    ///   - replies: the reply's fields in Markdown, and special cases; for readers.
    ///   - examples: requests that together have every field. The first one is plain: every user
    ///     with the right may send it with ids of their own.
    init(
        _ name: String,
        requires requirement: Requirement,
        allowed: String? = nil,
        scope: Scope,
        rate: RatedRequest? = nil,
        takes: String = "",
        replies: String,
        examples: @autoclosure @escaping @Sendable () -> [Request]
    ) {
        definition = OperationDefinition(
            name: name,
            requirement: requirement,
            scope: scope,
            rate: rate,
            documentation: OperationDocumentation(takes: takes, replies: replies, allowed: allowed),
            requestType: Request.self,
            replyType: Reply.self,
            makeExamples: { examples() },
            decode: { try Request(from: $0) }
        )
    }
}

/// A definition's documentation, in Markdown.
public struct OperationDocumentation: Sendable {
    /// The request's fields.
    public let takes: String
    /// The reply's fields, and special cases.
    public let replies: String
    /// Who may request it, if there is more to it than the requirement.
    public let allowed: String?
}

/// Rate limits per minute; each counts separately.
public enum RatedRequest: Sendable, CaseIterable {
    /// Requests that queue an answer.
    case question
    /// A search.
    case search
    /// An export or an import.
    case transfer
}
