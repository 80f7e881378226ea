// A request for each operation and route, for the permission matrix.

import ChatProtocol
import FoundationEssentials
import HTTPProtocol
import Testing

/// The objects of a sample request: existing ones, or ones that never existed.
struct SampleSubject {
    let conversation: ConversationID
    let team: TeamID
    let message: MessageID
    /// A prompt of the team's library.
    let prompt: PromptID
    /// The asker; for a stranger to the conversation this may be anyone.
    let asker: UserID

    init(_ shared: SharedConversation, asker: Persona) {
        conversation = shared.id
        team = shared.team
        message = shared.answer
        prompt = shared.prompt
        self.asker = shared.users[asker] ?? .make()
    }

    /// Objects that do not exist.
    init(nothingFor asker: UserID) {
        conversation = .make()
        team = .make()
        message = .make()
        prompt = .make()
        self.asker = asker
    }

    /// A request for each route; nil if the route needs no sign-in.
    func request(to route: HTTPRoute) -> (method: HTTPMethod, target: String)? {
        switch route {
        case .webSocket, .liveness, .readiness, .metrics, .signUp, .passwordReset,
            .deviceAuthorization, .token, .openIDStart, .openIDCallback, .shared:
            nil
        // Their errors have a form of their own: OpenAITests.
        case .openAIModels, .openAIModel, .openAIChatCompletions, .openAICompletions,
            .openAIResponses, .openAIResponse:
            nil
        case .session, .transferExport: (.get, route.rawValue)
        case .transferImport: (.post, route.rawValue)
        case .conversationExport, .receipt: (.get, path(of: route))
        }
    }

    private func path(of route: HTTPRoute) -> String {
        route.rawValue
            .replacing("{conversation}", with: "\(conversation)")
            .replacing("{message}", with: "\(message)")
    }
}

/// A request that succeeds for those with the right: the first example of the operation's definition,
/// about the subject.
struct SampleRequest: Encodable {
    /// Fields that differ from the example, so that nothing happens that other tests would notice.
    private static let exceptions: [String: [String: JSON]] = [
        "account.delete": ["password": .null],
        "key.create": ["scopes": []],
        "model.estimate": ["name": "no such model"],
        "model.pull": ["name": "no such model"],
        "model.pull.cancel": ["name": "no such model"],
        "team.member.update": ["role": "member"],
        "user.create": ["name": "a b"],
    ]

    private let fields: [String: JSON]

    init(_ operation: OperationDefinition, about subject: SampleSubject) throws {
        var fields = try Self.example(of: operation)
        for name in fields.keys {
            if let value = subject.value(of: name, for: operation) { fields[name] = .string(value) }
        }
        self.fields = fields.merging(Self.exceptions[operation.name] ?? [:]) { $1 }
    }

    /// The first example; where a right in a team is needed, the first one that names a team.
    private static func example(of operation: OperationDefinition) throws -> [String: JSON] {
        let examples = try operation.examples.map { example in
            try JSONDecoder().decode([String: JSON].self, from: Data(WireEncoding.text(example)))
        }
        if case .team = operation.requirement,
            let ofTeam = examples.first(where: { $0["team"] != nil })
        {
            return ofTeam
        }
        return try #require(examples.first)
    }

    func encode(to encoder: any Encoder) throws { try fields.encode(to: encoder) }
}

extension SampleSubject {
    /// What a field of a request says of the subject; nil for what the example may say as it is.
    fileprivate func value(of field: String, for operation: OperationDefinition) -> String? {
        // What administrators change or end is never there.
        let isOfServer = if case .server = operation.requirement { true } else { false }
        return switch field {
        case "conversation": "\(conversation)"
        case "message": "\(message)"
        case "prompt": "\(prompt)"
        case "team": "\(isOfServer ? .make() : team)"
        case "user" where operation.name != "member.add": "\(isOfServer ? .make() : asker)"
        case "key" where operation.name != "key.revoke": "key of \(operation)"
        default: nil
        }
    }
}
