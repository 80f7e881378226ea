// One line of a transfer: an object whose `type` says which kind it is.

/// One line of a transfer, in the order in which kinds may depend on each other.
public enum TransferRecord: Hashable, Sendable {
    /// The first line.
    case header(TransferHeader)
    /// A user.
    case user(UserRecord)
    /// A team.
    case team(TeamRecord)
    /// A user's membership in a team.
    case teamMember(TeamMemberRecord)
    /// A prompt of a library.
    case prompt(PromptRecord)
    /// A version of a library prompt.
    case promptVersion(PromptVersionRecord)
    /// A conversation.
    case conversation(ConversationRecord)
    /// A version of a system prompt.
    case systemPrompt(SystemPromptRecord)
    /// A user's membership in a conversation.
    case member(MemberRecord)
    /// A message.
    case message(MessageRecord)
    /// An answer's receipt.
    case receipt(ReceiptRecord)
    /// A rating of an answer.
    case feedback(FeedbackRecord)
    /// A summary of the start of a branch.
    case summary(SummaryRecord)
    /// The last line.
    case end(TransferEnd)

    /// The kind of a record.
    public enum Kind: String, Codable, Hashable, Sendable, CaseIterable, CodingKey {
        /// The first line.
        case header
        /// A user.
        case user
        /// A team.
        case team
        /// A user's membership in a team.
        case teamMember = "team_member"
        /// A prompt of a library.
        case prompt
        /// A version of a library prompt.
        case promptVersion = "prompt_version"
        /// A conversation.
        case conversation
        /// A version of a system prompt.
        case systemPrompt = "system_prompt"
        /// A user's membership in a conversation.
        case member
        /// A message.
        case message
        /// An answer's receipt.
        case receipt
        /// A rating of an answer.
        case feedback
        /// A summary of the start of a branch.
        case summary
        /// The last line.
        case end
    }

    /// The record's kind.
    public var kind: Kind {
        switch self {
        case .header: .header
        case .user: .user
        case .team: .team
        case .teamMember: .teamMember
        case .prompt: .prompt
        case .promptVersion: .promptVersion
        case .conversation: .conversation
        case .systemPrompt: .systemPrompt
        case .member: .member
        case .message: .message
        case .receipt: .receipt
        case .feedback: .feedback
        case .summary: .summary
        case .end: .end
        }
    }

    private var fields: any Encodable {
        switch self {
        case .header(let record): record
        case .user(let record): record
        case .team(let record): record
        case .teamMember(let record): record
        case .prompt(let record): record
        case .promptVersion(let record): record
        case .conversation(let record): record
        case .systemPrompt(let record): record
        case .member(let record): record
        case .message(let record): record
        case .receipt(let record): record
        case .feedback(let record): record
        case .summary(let record): record
        case .end(let record): record
        }
    }
}

extension TransferRecord: Codable {
    private enum Key: String, CodingKey { case type }

    /// Reads an object by its `type`.
    /// - Throws: `DecodingError` if the type is unknown or a field is missing.
    public init(from decoder: any Decoder) throws {
        let type = try decoder.container(keyedBy: Key.self).decode(Kind.self, forKey: .type)
        switch type {
        case .header: self = .header(try TransferHeader(from: decoder))
        case .user: self = .user(try UserRecord(from: decoder))
        case .team: self = .team(try TeamRecord(from: decoder))
        case .teamMember: self = .teamMember(try TeamMemberRecord(from: decoder))
        case .prompt: self = .prompt(try PromptRecord(from: decoder))
        case .promptVersion: self = .promptVersion(try PromptVersionRecord(from: decoder))
        case .conversation: self = .conversation(try ConversationRecord(from: decoder))
        case .systemPrompt: self = .systemPrompt(try SystemPromptRecord(from: decoder))
        case .member: self = .member(try MemberRecord(from: decoder))
        case .message: self = .message(try MessageRecord(from: decoder))
        case .receipt: self = .receipt(try ReceiptRecord(from: decoder))
        case .feedback: self = .feedback(try FeedbackRecord(from: decoder))
        case .summary: self = .summary(try SummaryRecord(from: decoder))
        case .end: self = .end(try TransferEnd(from: decoder))
        }
    }

    /// Writes the type, then the fields in the order of their declaration.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(kind, forKey: .type)
        try fields.encode(to: encoder)
    }
}
