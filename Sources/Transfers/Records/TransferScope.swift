// The scope of a transfer as text: "all", "team:ID", "user:ID", "conversation:ID".

public import ChatProtocol

/// The scope of a transfer.
public enum TransferScope: Sendable, Hashable {
    /// One conversation.
    case conversation(ConversationID)
    /// All conversations that a user can see.
    case user(UserID)
    /// A team: its members, and all conversations that belong to it.
    case team(TeamID)
    /// All users, teams and conversations of a server.
    case everything
}

extension TransferScope: CustomStringConvertible, LosslessStringConvertible {
    /// Reads the text form; nil if `text` is invalid.
    public init?(_ text: String) {
        if text == "all" {
            self = .everything
            return
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let id = String(parts[1])
        switch parts[0] {
        case "conversation":
            guard let id = ConversationID(id) else { return nil }
            self = .conversation(id)
        case "user":
            guard let id = UserID(id) else { return nil }
            self = .user(id)
        case "team":
            guard let id = TeamID(id) else { return nil }
            self = .team(id)
        default: return nil
        }
    }

    /// The text form.
    public var description: String {
        switch self {
        case .conversation(let id): "conversation:\(id)"
        case .user(let id): "user:\(id)"
        case .team(let id): "team:\(id)"
        case .everything: "all"
        }
    }
}

extension TransferScope: Codable {
    /// Reads the text form.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let scope = TransferScope(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "is no scope of a transfer"
            )
        }
        self = scope
    }

    /// Writes the text form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
