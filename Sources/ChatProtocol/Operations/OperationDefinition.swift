// All operations, and their declarations without types.

/// The declaration of an operation.
public struct OperationDefinition: Sendable {
    /// The name on the wire.
    public let name: String
    /// The right that the user needs.
    public let requirement: Requirement
    /// The scope that an API key needs.
    public let scope: Scope
    /// The rate limit that applies, if any.
    public let rate: RatedRequest?
    /// The documentation.
    public let documentation: OperationDocumentation
    /// The type of the request's fields.
    public let requestType: any (Codable & Sendable).Type
    /// The type of `ok` in a successful reply.
    public let replyType: any (Codable & Sendable).Type
    let makeExamples: @Sendable () -> [any Codable & Sendable]
    let decode: @Sendable (any Decoder) throws -> any Codable & Sendable

    /// Requests that together have every field; the first one is plain.
    public var examples: [any Codable & Sendable] { makeExamples() }

    /// The definition of an operation.
    public init<Request, Reply>(_ operation: Operation<Request, Reply>) {
        self = operation.definition
    }

    init(
        name: String,
        requirement: Requirement,
        scope: Scope,
        rate: RatedRequest?,
        documentation: OperationDocumentation,
        requestType: any (Codable & Sendable).Type,
        replyType: any (Codable & Sendable).Type,
        makeExamples: @escaping @Sendable () -> [any Codable & Sendable],
        decode: @escaping @Sendable (any Decoder) throws -> any Codable & Sendable
    ) {
        self.name = name
        self.requirement = requirement
        self.scope = scope
        self.rate = rate
        self.documentation = documentation
        self.requestType = requestType
        self.replyType = replyType
        self.makeExamples = makeExamples
        self.decode = decode
    }
}

extension OperationDefinition {
    /// All operations of protocol v1, in the order of the protocol's page.
    public static let all: [OperationDefinition] = Array(
        [
            connections, models, engines, conversations, folders, lifeCycle, watches, members,
            messages,
            tree, search,
            prompts, teams, teamMembers, shares, usage, account, devices, users, administration,
            serverTeams,
        ].joined()
    )

    /// The definitions by their names.
    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    /// Finds a definition; nil if no operation has that name.
    public init?(named name: String) {
        guard let definition = Self.byName[name] else { return nil }
        self = definition
    }
}

extension OperationDefinition: CustomStringConvertible {
    /// The name on the wire.
    public var description: String { name }
}
