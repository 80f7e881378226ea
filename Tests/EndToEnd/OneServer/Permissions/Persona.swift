// Those who ask, and the conversation that they ask about.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Testing

/// Somebody, as the matrix of permissions knows them.
enum Persona: String, CaseIterable, CustomTestStringConvertible {
    case owner = "hal"
    case editor = "gus"
    case viewer = "fay"
    /// Was an editor until a moment ago.
    case removed = "eli"
    /// Never was a member.
    case stranger = "ivy"
    /// Owns another team, and is no member.
    case elsewhere = "wim"
    /// Administers the server, and is no member.
    case administrator = "root"
    /// A program of the owner's, with a key that is good for reading.
    case reader = "hal's key"
    /// Signed in before the account was disabled.
    case disabled = "una"
    /// Was signed in until an administrator ended that.
    case revoked = "vic"

    var testDescription: String { "the \(self)" }

    /// The account.
    var user: String { self == .reader ? Persona.owner.rawValue : rawValue }

    /// Whether they are let in no more, whatever they ask for.
    var hasEnded: Bool { self == .disabled || self == .revoked }

    /// What they are in the conversation.
    var standing: Standing {
        let role: Role? =
            switch self {
            case .owner, .reader: .owner
            case .editor: .editor
            case .viewer: .viewer
            case .removed, .stranger, .elsewhere, .administrator, .disabled, .revoked: nil
            }
        return Standing(
            role: role,
            team: teamRole.map { .member($0) } ?? .outsider,
            isDisabled: self == .disabled
        )
    }

    /// What they are in the conversation's team. Who may only read in the conversation may write
    /// elsewhere in it.
    private var teamRole: TeamRole? {
        switch self {
        case .owner, .reader: .owner
        case .editor, .viewer, .removed: .member
        case .stranger, .elsewhere, .administrator, .disabled, .revoked: nil
        }
    }

    /// What they may ask for at all.
    private var scopes: Set<Scope> { self == .reader ? [.read] : Set(Scope.allCases) }

    /// What may be expected of a request of theirs.
    func permission(_ operation: OperationDefinition) -> Permission {
        scopes.contains(operation.scope) ? permission(operation.requirement) : .forbidden
    }

    /// What may be expected of a request of theirs over HTTP.
    func permission(_ route: HTTPRoute) -> Permission {
        scopes.contains(route.scope) ? permission(route.requirement) : .forbidden
    }

    private func permission(_ requirement: Requirement) -> Permission {
        switch requirement {
        case .nothing, .signedIn: .granted
        case .conversation(let action): .decide(action, standing)
        case .team(let action): .decide(action, as: teamRole)
        case .server(let action): .decide(action, isAdministrator: self == .administrator)
        }
    }
}

/// The personas on their connections, and the team that some of them are in.
final class Cast {
    /// Of those who are let in.
    let peers: [Persona: Peer]
    /// By what each is known.
    let tokens: [Persona: String]
    let team: TeamID
    /// The token of a link into the team.
    let invite: String
    private let key: KeyID

    /// Has them all come in, but for those whose right to it is ended first.
    init() throws {
        let server = try SharedServer.server()
        var tokens: [Persona: String] = [:]
        var peers: [Persona: Peer] = [:]
        for persona in Persona.allCases where persona != .reader {
            let token = try #require(SharedServer.tokens[persona.user])
            tokens[persona] = token
            if !persona.hasEnded { peers[persona] = try server.connect(token) }
        }
        let owner = try #require(peers[.owner])
        let made: KeyCreateReply = try owner.call(
            .keyCreate,
            KeyCreateRequest(name: "reader", scopes: [.read])
        )
        key = made.key.id
        tokens[.reader] = made.secret
        peers[.reader] = try server.connect(made.secret)
        team = try owner.call(
            .teamCreate,
            TeamCreateRequest(key: UUID().uuidString, name: UUID().uuidString),
            as: TeamReply.self
        ).team.id
        invite = try owner.call(
            .teamInvite,
            TeamInviteRequest(team: team, uses: 1000),
            as: TeamInviteReply.self
        ).token
        self.peers = peers
        self.tokens = tokens
        _ = try peer(.elsewhere).call(
            .teamCreate,
            TeamCreateRequest(key: "elsewhere", name: "Elsewhere"),
            as: TeamReply.self
        )
        try endRights()
    }

    /// Disables one account, and ends the sign-ins of another. Again it changes nothing.
    private func endRights() throws {
        let root = try peer(.administrator)
        func user(_ persona: Persona) throws -> UserID {
            let request = UserListRequest(query: persona.user)
            let found: UserListReply = try root.call(.userList, request)
            return try #require(found.users.first { $0.name == persona.user }).id
        }
        let disabling = UserUpdateRequest(user: try user(.disabled), isDisabled: true)
        _ = try root.call(.userUpdate, disabling, as: UserReply.self)
        let revocation = UserSessionsRevokeRequest(user: try user(.revoked))
        _ = try root.call(.userSessionsRevoke, revocation, as: SessionRevokeOthersReply.self)
    }

    /// The connection of somebody who is let in.
    func peer(_ persona: Persona) throws -> Peer { try #require(peers[persona]) }

    /// Takes the key away: nobody may have many.
    func leave() throws {
        _ = try peer(.owner).call(.keyRevoke, KeyRevokeRequest(key: key), as: EmptyReply.self)
    }
}

/// A conversation of the team, open to it, with people in it and a question that was answered.
struct SharedConversation {
    let id: ConversationID
    let team: TeamID
    let question: MessageID
    let answer: MessageID
    /// In the team's library.
    let prompt: PromptID
    /// The personas by their names.
    let users: [Persona: UserID]

    /// Makes one.
    init(_ cast: Cast) throws {
        let owner = try cast.peer(.owner)
        team = cast.team
        id = try owner.call(
            .conversationCreate,
            ConversationCreateRequest(
                key: UUID().uuidString,
                settings: GenerationSettings(maxTokens: 1),
                team: cast.team
            ),
            as: ConversationReply.self
        ).conversation.id
        let open = ConversationUpdateRequest(conversation: id, open: true)
        _ = try owner.call(.conversationUpdate, open, as: ConversationReply.self)
        prompt = try owner.call(
            .promptCreate,
            PromptCreateRequest(
                key: UUID().uuidString,
                team: cast.team,
                name: UUID().uuidString,
                text: "Be kind."
            ),
            as: PromptReply.self
        ).prompt.id
        var users: [Persona: UserID] = [:]
        for (persona, role) in [
            (Persona.editor, Role.editor), (.viewer, .viewer), (.removed, .editor),
        ] {
            // Whoever left the team comes back.
            let join = TeamJoinRequest(token: cast.invite)
            _ = try cast.peer(persona).call(.teamJoin, join, as: TeamReply.self)
            let request = MemberAddRequest(
                conversation: id,
                user: persona.rawValue,
                role: role
            )
            let members = try owner.call(.memberAdd, request, as: MemberReply.self).members
            users[persona] = members.first { $0.user.name == persona.rawValue }?.user.id
            users[.owner] = members.first { $0.role == .owner }?.user.id
        }
        users[.reader] = users[.owner]
        let sent = try owner.say("Hello platypus!", in: id)
        (question, answer) = (sent.message.id, sent.answer.id)
        let request = MemberRemoveRequest(
            conversation: id,
            user: try #require(users[.removed])
        )
        _ = try owner.call(.memberRemove, request, as: MemberReply.self)
        self.users = users
    }
}
