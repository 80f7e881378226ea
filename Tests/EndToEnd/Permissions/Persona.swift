// Those who ask, and the conversation that they ask about.

import ChatCore
import ChatProtocol
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
    /// Administers the server, and is no member.
    case administrator = "root"

    var testDescription: String { "the \(self)" }

    /// What they are in the conversation.
    var standing: Standing {
        switch self {
        case .owner: Standing(role: .owner)
        case .editor: Standing(role: .editor)
        case .viewer: Standing(role: .viewer)
        case .removed, .stranger, .administrator: Standing(role: nil)
        }
    }

    /// What may be expected of a request of theirs.
    func permission(_ requirement: Requirement) -> Permission {
        switch requirement {
        case .nothing, .signedIn: .granted
        case .conversation(let action): .decide(action, standing)
        case .team(let action): .decide(action, as: nil)
        case .server(let action): .decide(action, isAdministrator: self == .administrator)
        }
    }
}

/// A conversation with people in it, and a question that was answered.
struct SharedConversation {
    let id: ConversationID
    let question: MessageID
    let answer: MessageID
    /// The personas by their names.
    let users: [Persona: UserID]

    /// Makes one.
    init(_ peers: [Persona: Peer]) throws {
        let owner = try #require(peers[.owner])
        id = try owner.createConversation(settings: GenerationSettings(maxTokens: 1))
        var users: [Persona: UserID] = [:]
        for (persona, role) in [
            (Persona.editor, Role.editor), (.viewer, .viewer), (.removed, .editor),
        ] {
            let request = MemberAddRequest(
                conversation: id,
                user: persona.rawValue,
                role: role
            )
            let members = try owner.call(.memberAdd, request, as: MemberReply.self).members
            users[persona] = members.first { $0.user.name == persona.rawValue }?.user.id
            users[.owner] = members.first { $0.role == .owner }?.user.id
        }
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
