// Converts records for this database: authors, and texts that can be stored.

import ChatCore
import ChatProtocol
import Transfers

extension TransferImport {
    /// The message with a text that can be stored, and with an author who exists here.
    func prepared(_ message: MessageRecord, of load: ConversationLoad) -> MessageRecord {
        var message = message
        message.text = kept(message.text, of: "message \(message.id)")
        if message.role == .user {
            message.state = .complete
            message.run = nil
            let author = localAuthor(message.author)
            if author == nil {
                message.authorName = message.author.flatMap { names[$0] } ?? message.authorName
            }
            // A question from another system without an author's name belongs to the importer.
            let isOwn = message.author == nil && message.authorName == nil
            message.author = isOwn && load.record.source != nil ? owner.user?.id : author
            message.mentions = localMentions(message)
        } else {
            message.author = nil
            message.mentions = nil
            message.run = message.run ?? .derived(from: ["\(message.id)"], at: message.createdAt)
        }
        message.authorName = message.authorName.flatMap { short($0) }
        message.model = message.model.flatMap { short($0) }
        return message
    }

    private func short(_ name: String) -> String? {
        let name = ImportedText(name, atMost: 200).text
        return name.isEmpty ? nil : name
    }

    /// The mentioned users who exist here, except the author.
    private func localMentions(_ message: MessageRecord) -> [UserID]? {
        message.mentions?.prefix(MentionRule.namesMax).filter { user in
            localAuthor(user) != nil && user != message.author
        }
    }

    /// The local user of an author; nil if there is none.
    func localAuthor(_ author: UserID?) -> UserID? {
        guard let author else { return nil }
        if let user = owner.user { return author == user.id ? author : nil }
        return knownUsers.contains(author) ? author : nil
    }

    /// Maximum ratings of the messages of one batch.
    private static let feedbackMax = 10_000

    func add(_ feedback: FeedbackRecord, to load: inout ConversationLoad) -> ImportReason? {
        guard load.batch.messages.contains(where: { $0.record.id == feedback.message }) else {
            return .noMessage
        }
        guard abs(feedback.rating) == 1, (1...4000).contains(feedback.text?.utf8.count ?? 1),
            feedback.text?.utf8.contains(0) != true
        else { return .malformedFeedback }
        guard localAuthor(feedback.user) != nil else { return .noUser }
        guard load.batch.feedback.count < Self.feedbackMax else { return .tooManyParts }
        load.batch.feedback.append(feedback)
        load.counts[.feedback] += 1
        return nil
    }
}

/// A message as a parameter of the statement that stores it.
struct MessageRow: Encodable {
    let id: MessageID
    let parent: MessageID?
    let depth: Int32
    let role: MessageRole
    let author: UserID?
    /// The author's name, if they are not a user here.
    let speaker: String?
    let body: String
    let state: MessageState
    let run: RunID?
    let finish: FinishReason?
    let usage: Usage?
    let error: WireError?
    let model: String?
    let dropped: Int?
    let summarized: Int?
    let continues: MessageID?
    let created: Int64
    let n: Int64
    let receipt: String?

    init?(
        _ message: MessageRecord,
        receipt: String?,
        n: Int64,
        in load: ConversationLoad
    ) {
        guard let node = load.nodes[message.id] else { return nil }
        id = node.id
        parent = load.id(of: message.parent)
        depth = node.depth
        role = message.role
        author = message.author
        speaker = message.authorName
        body = message.text
        state = message.state
        run = message.run
        finish = message.finish
        usage = message.usage
        error = message.error
        model = message.model
        dropped = message.droppedMessages
        summarized = message.summarizedMessages
        continues = load.id(of: message.continues)
        created = message.createdAt.milliseconds
        self.n = n
        self.receipt = receipt
    }
}

/// Feedback, summaries, prompts and members in the same form.
struct FeedbackRow: Encodable {
    let message: MessageID?
    let rater: UserID
    let rating: Int
    let text: String?
    let given: Int64
}

struct SummaryRow: Encodable {
    let id: SummaryID
    let through: MessageID?
    let messages: Int
    let body: String
    let receipt: String
    let created: Int64
}

struct PromptRow: Encodable {
    let id: ID<SystemPrompt>
    let version: Int
    let body: String
    let author: UserID?
    let library: LibraryVersion?
    let created: Int64
}

struct MentionRow: Encodable {
    let message: MessageID
    let named: UserID
    let n: Int64
}

struct ImportedMember: Encodable {
    let member: UserID
    let role: Role
    let joined: Int64
    let selected: MessageID?
    let archived: Int64?
    let pinned: Int64?
    /// The name of the member's folder.
    let folder: String?
    let tags: [String]?
    let unread: MessageID?

    /// - Parameters:
    ///   - record: the member in the file; nil if the file has none for this user.
    ///   - user: the member here.
    ///   - role: the member's role here.
    ///   - load: the conversation.
    init(_ record: MemberRecord?, _ user: UserID, as role: Role, of load: ConversationLoad) {
        member = user
        self.role = role
        joined = (record?.joinedAt ?? load.record.createdAt).milliseconds
        selected = load.id(of: record?.selected)
        archived = record?.archivedAt?.milliseconds
        pinned = record?.pinnedAt?.milliseconds
        folder = record?.folder.flatMap { Self.name($0, atMost: 256) }
        tags = record?.tags?.prefix(FolderStore.tagsPerConversationMax).compactMap {
            Self.name($0, atMost: 4 * FolderStore.tagCharactersMax)
        }
        unread = load.id(of: record?.firstUnread)
    }

    private static func name(_ text: String, atMost bytes: Int) -> String? {
        let name = ImportedText(text, atMost: bytes).text
        return name.isEmpty ? nil : name
    }
}
