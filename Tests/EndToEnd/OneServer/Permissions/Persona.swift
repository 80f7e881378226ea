// The personas of the permission matrix, and the conversation that they ask about.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Testing

/// A user of the permission matrix.
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
    /// A program of the owner's, with a key for reading.
    case reader = "hal's key"
    /// Signed in before the account was disabled.
    case disabled = "una"
    /// Was signed in until an administrator revoked that.
    case revoked = "vic"

    var testDescription: String { "the \(self)" }

    /// The account.
    var user: String { self == .reader ? Persona.owner.rawValue : rawValue }

    /// Whether their access has ended completely.
    var hasEnded: Bool { self == .disabled || self == .revoked }

    /// Their standing in the conversation.
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

    /// Their role in the conversation's team. A user with the role viewer in the conversation may
    /// write elsewhere in the team.
    private var teamRole: TeamRole? {
        switch self {
        case .owner, .reader: .owner
        case .editor, .viewer, .removed: .member
        case .stranger, .elsewhere, .administrator, .disabled, .revoked: nil
        }
    }

    /// Their scopes.
    private var scopes: Set<Scope> { self == .reader ? [.read] : Set(Scope.allCases) }

    /// The expected verdict on a request of theirs.
    func permission(_ operation: OperationDefinition) -> Permission {
        scopes.contains(operation.scope) ? permission(operation.requirement) : .forbidden
    }

    /// The expected verdict on an HTTP request of theirs.
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

/// The personas with their connections, and the team of some of them.
final class Cast {
    /// The connections of personas with access.
    let peers: [Persona: Peer]
    /// The personas' tokens.
    let tokens: [Persona: String]
    let team: TeamID
    /// The token of an invite link to the team.
    let invite: String
    private let key: KeyID

    /// Signs all of them in, and then ends the access of some.
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

    /// Disables one account, and ends the sign-ins of another. Idempotent.
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

    /// The connection of a persona with access.
    func peer(_ persona: Persona) throws -> Peer { try #require(peers[persona]) }

    /// Revokes the key: their number is limited.
    func leave() throws {
        _ = try peer(.owner).call(.keyRevoke, KeyRevokeRequest(key: key), as: EmptyReply.self)
    }
}

/// A conversation open to the team, with members and an answered question.
struct SharedConversation {
    let id: ConversationID
    let team: TeamID
    let question: MessageID
    let answer: MessageID
    /// In the team's library.
    let prompt: PromptID
    /// The personas' user ids.
    let users: [Persona: UserID]

    /// Creates one.
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
            // A persona who left the team joins again.
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
