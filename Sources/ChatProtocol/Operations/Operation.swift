// An operation of the protocol, declared once. Decoding, the server's router, the check of rights, the
// clients' typed requests, docs/reference and the sample requests of tests all follow from it.

/// An operation: what a client requests by its name, with the types of request and reply.
///
/// Each operation is a static member, declared beside its types in this folder:
/// `client.call(.conversationGet, request)` returns what `conversationGet` replies.
public struct Operation<Request: Codable & Sendable, Reply: Codable & Sendable>: Sendable {
    /// What was declared, without the types.
    public let definition: OperationDefinition

    /// The name on the wire.
    public var name: String { definition.name }

    /// Declares an operation.
    /// - Parameters:
    ///   - name: its name on the wire.
    ///   - requirement: what the user has to be allowed to do.
    ///   - allowed: who is allowed to, where that is more than the requirement says; for readers.
    ///   - scope: which API keys may be used.
    ///   - rate: what it counts as, where users may request it only so often.
    ///   - takes: the request's fields in Markdown, optional ones as `` `field?` ``; for readers.
    ///   - replies: the reply's fields in Markdown, and what is special; for readers.
    ///   - examples: requests that together have each field. The first one is plain: whoever has the
    ///     right may send it with ids of their own.
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

/// What a definition says to readers, in Markdown.
public struct OperationDocumentation: Sendable {
    /// The request's fields.
    public let takes: String
    /// The reply's fields, and what is special.
    public let replies: String
    /// Who may request it, where that is more than the requirement says.
    public let allowed: String?
}

/// What counts against a limit per minute, each by itself.
public enum RatedRequest: Sendable, CaseIterable {
    /// Whatever has an answer generated.
    case question
    /// A search.
    case search
    /// An export or an import.
    case transfer
}
