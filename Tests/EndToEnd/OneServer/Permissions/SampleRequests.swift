// A request of each operation, for the matrix of permissions. An operation without one does not compile.

import ChatProtocol
import HTTPProtocol

/// What a sample is about: the conversation that is there, or one that never was.
struct SampleSubject {
    let conversation: ConversationID
    let team: TeamID
    let message: MessageID
    /// A prompt of the team's library.
    let prompt: PromptID
    /// Who asks; a stranger to the conversation may have any.
    let asker: UserID

    init(_ shared: SharedConversation, asker: Persona) {
        conversation = shared.id
        team = shared.team
        message = shared.answer
        prompt = shared.prompt
        self.asker = shared.users[asker] ?? .make()
    }

    /// Nothing that is there.
    init(nothingFor asker: UserID) {
        conversation = .make()
        team = .make()
        message = .make()
        prompt = .make()
        self.asker = asker
    }

    /// The fields of a request that would be granted to whoever may.
    func fields(of operation: Operation) -> [String: String] {
        let place = ["conversation": "\(conversation)"]
        let at = place.merging(["message": "\(message)"]) { first, _ in first }
        let keyed = at.merging(["key": "key of \(operation.rawValue)"]) { first, _ in first }
        func with(_ fields: [String: String], _ more: [String: String]) -> [String: String] {
            fields.merging(more) { first, _ in first }
        }
        return switch operation {
        case .auth: ["token": "none that is valid"]
        case .ping, .conversationList, .modelList, .generationList: [:]
        case .conversationCreate: ["key": "key of \(operation.rawValue)"]
        case .conversationGet, .conversationDelete, .conversationWatch, .conversationUnwatch,
            .conversationPrompts, .conversationJoin, .messageList, .shareCreate, .shareList,
            .typing:
            place
        case .conversationArchive, .conversationRestore: place
        // Where it is already.
        case .conversationMove: with(place, ["team": "\(team)"])
        case .conversationDeletedList: [:]
        case .conversationHold: with(place, ["reason": "a lawsuit"])
        case .teamRetention: ["team": "\(team)"]
        case .promptCreate:
            ["team": "\(team)", "key": "prompt", "name": "Brief", "text": "Be brief."]
        case .promptList: ["team": "\(team)"]
        case .promptUpdate: ["prompt": "\(prompt)", "text": "Be brief."]
        case .promptVersions, .promptDelete: ["prompt": "\(prompt)"]
        case .conversationUpdate: with(place, ["title": "mine now"])
        case .conversationRead: place
        case .conversationFork, .messageRegenerate, .messageContinue: keyed
        case .memberAdd: with(place, ["user": "ada"])
        case .memberRemove: with(place, ["user": "\(asker)"])
        case .messageSend: with(place, ["key": "send", "text": "Hello!"])
        case .messageEdit: with(keyed, ["text": "Hello again!"])
        case .messageSelect, .messageDelete, .messageRestore, .messageFeedback: at
        case .generationStop: ["message": "\(message)"]
        case .runList, .auditList, .serverStatus, .userList, .serverTeams: [:]
        case .serverTeam, .serverTeamDelete: ["team": "\(TeamID.make())"]
        case .serverTeamMember: ["team": "\(TeamID.make())", "user": "\(asker)"]
        // Not fit to be a name: what is allowed still makes nobody.
        case .userCreate: ["name": "a b"]
        case .userUpdate, .userSessions, .userSessionsRevoke, .userReset, .userDelete:
            ["user": "\(UserID.make())"]
        case .runStop: ["message": "\(message)"]
        case .teamAudit: ["team": "\(team)"]
        case .search: ["query": "platypus"]
        case .sessionList, .sessionRevokeOthers, .keyList: [:]
        // Without the password: nobody is deleted.
        case .accountDelete: [:]
        case .sessionRevoke: ["session": "\(SessionID.make())"]
        case .accountPassword: ["old": "wrong", "new": "short"]
        case .keyCreate: ["name": "of nothing"]
        case .keyRevoke: ["key": "\(KeyID.make())"]
        case .shareRevoke: with(place, ["share": "\(ShareID.make())"])
        case .shareWatch: ["token": "none that is good"]
        case .usageGet, .usageList: [:]
        case .budgetSet: ["user": "\(UserID.make())"]
        case .modelPull: ["name": "no such model"]
        case .modelPullCancel: ["name": "no such model"]
        case .teamCreate, .teamList, .teamGet, .teamUpdate, .teamDelete, .teamMemberUpdate,
            .teamMemberRemove, .teamInvite, .teamInviteList, .teamInviteRevoke, .teamJoin,
            .teamConversations:
            teamFields(of: operation)
        }
    }

    /// The same of what is asked of a team.
    private func teamFields(of operation: Operation) -> [String: String] {
        let team = ["team": "\(team)"]
        func with(_ more: [String: String]) -> [String: String] {
            team.merging(more) { first, _ in first }
        }
        return switch operation {
        case .teamCreate: ["key": "key of \(operation.rawValue)", "name": "of \(asker)"]
        case .teamUpdate: with(["name": "ours now"])
        case .teamMemberUpdate: with(["user": "\(asker)", "role": "member"])
        case .teamMemberRemove: with(["user": "\(asker)"])
        case .teamInviteRevoke: with(["invite": "\(TeamInviteID.make())"])
        case .teamJoin: ["token": "none that is good"]
        default: team
        }
    }

    /// The numbers of a request, beside its texts.
    func numbers(of operation: Operation) -> [String: Int64] {
        switch operation {
        case .conversationRead: ["n": 1]
        case .promptUpdate: ["version": 1]
        default: [:]
        }
    }

    /// Whether each of a request's yes-or-no fields says yes.
    func flags(of operation: Operation) -> [String: Bool] {
        switch operation {
        case .conversationArchive: ["archived": true]
        case .conversationHold: ["hold": false]
        default: [:]
        }
    }

    /// The lists of words of a request. A key that is good for nothing is not made.
    func lists(of operation: Operation) -> [String: [String]] {
        operation == .keyCreate ? ["scopes": []] : [:]
    }

    /// A request to each route; nil where the route means nobody in particular.
    func request(to route: HTTPRoute) -> (method: HTTPMethod, target: String)? {
        switch route {
        case .webSocket, .liveness, .readiness, .metrics, .signUp, .passwordReset, .openIDStart,
            .openIDCallback, .shared:
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

/// Texts, numbers and lists as the fields of one request.
struct SampleFields: Encodable {
    let texts: [String: String]
    let numbers: [String: Int64]
    let flags: [String: Bool]
    let lists: [String: [String]]

    init(_ subject: SampleSubject, _ operation: Operation) {
        texts = subject.fields(of: operation)
        numbers = subject.numbers(of: operation)
        flags = subject.flags(of: operation)
        lists = subject.lists(of: operation)
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, text) in texts { try container.encode(text, forKey: Key(name)) }
        for (name, flag) in flags { try container.encode(flag, forKey: Key(name)) }
        for (name, list) in lists { try container.encode(list, forKey: Key(name)) }
        for (name, number) in numbers { try container.encode(number, forKey: Key(name)) }
    }
}
