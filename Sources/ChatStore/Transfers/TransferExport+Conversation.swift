// Exports one conversation: its fields, system prompts and members, then its messages in the order
// of creation.

import ChatProtocol
import FoundationEssentials
import Postgres
import Transfers

/// The position of reading one conversation.
struct ConversationPages {
    let id: ConversationID
    private(set) var isDone = false
    private var position = Position.beginning
    /// The event up to which messages are read.
    private var newest: Int64 = 0
    private var promptVersion: Int32 = 0
    private var lastEvent: Int64 = 0
    private var number: Int64 = 0
    /// Unfinished answers and their descendants: readers would miss a parent.
    private var leftOut: Set<MessageID> = []

    private enum Position { case beginning, prompts, messages }

    init(of id: ConversationID) { self.id = id }

    /// The next page; empty if the conversation was deleted meanwhile, or the reader can no longer
    /// see it.
    mutating func next(of export: TransferExport) async throws -> [TransferRecord] {
        switch position {
        case .beginning: try await begin(export)
        case .prompts: try await prompts(export)
        case .messages: try await messages(export)
        }
    }

    private mutating func begin(_ export: TransferExport) async throws -> [TransferRecord] {
        let id = id
        let (reader, marked) = (export.memberWhoReads, export.memberWithMarks)
        let read = try await export.page { transaction in
            try await transaction.beginning(of: id, for: reader, marksOf: marked)
        }
        guard let read else {
            isDone = true
            return []
        }
        newest = read.newest
        position = .prompts
        return export.newUsers(read.users) + [.conversation(read.conversation)]
            + read.members.map(TransferRecord.member)
    }

    /// A few versions per page, as texts may be long.
    private mutating func prompts(_ export: TransferExport) async throws -> [TransferRecord] {
        let (id, version) = (id, promptVersion)
        let page = try await export.page { transaction in
            try await transaction.query(
                """
                SELECT \(SystemPromptRecord.columns) FROM system_prompts p
                WHERE p.conversation_id = $1 AND p.version > $2 ORDER BY p.version LIMIT 4
                """,
                [.uuid(id), .int32(version)]
            ).map { try SystemPromptRecord(row: $0) }
        }
        if page.count == 4, let last = page.last {
            promptVersion = Int32(clamping: last.version)
        } else {
            position = .messages
        }
        return page.map(TransferRecord.systemPrompt)
    }

    private mutating func messages(_ export: TransferExport) async throws -> [TransferRecord] {
        let (id, after, newest, limits) = (id, lastEvent, newest, export.limits)
        let page = try await export.page { transaction in
            try await transaction.messagePage(of: id, after: after, upTo: newest, limits)
        }
        guard let last = page.events.last else {
            isDone = true
            return []
        }
        lastEvent = last
        var records: [TransferRecord] = []
        for entry in page.entries {
            var message = entry.message
            let followsLeftOut = message.parent.map(leftOut.contains) ?? false
            guard message.state.isFinal, !followsLeftOut else {
                leftOut.insert(message.id)
                continue
            }
            if let continued = message.continues, leftOut.contains(continued) {
                message.continues = nil
            }
            number += 1
            message.number = number
            message.mentions = page.mentions[message.id]
            records.append(.message(message))
            if let receipt = entry.receipt {
                let record = ReceiptRecord(conversation: id, message: message.id, receipt: receipt)
                records.append(.receipt(record))
            }
            records += page.feedback[message.id, default: []].map(TransferRecord.feedback)
            records += page.summaries[message.id, default: []].map(TransferRecord.summary)
        }
        return export.newUsers(page.users) + records
    }
}

/// A conversation without its messages and system prompts.
private struct ConversationBeginning {
    let conversation: ConversationRecord
    let newest: Int64
    let members: [MemberRecord]
    let users: [UserRecord]
}

/// Messages with their feedback, summaries and mentions.
private struct MessagePage {
    var entries: [(message: MessageRecord, receipt: String?)] = []
    /// The numbers of the events of these messages, and of deleted ones.
    var events: [Int64] = []
    var feedback: [MessageID: [FeedbackRecord]] = [:]
    var summaries: [MessageID: [SummaryRecord]] = [:]
    var mentions: [MessageID: [UserID]] = [:]
    /// Authors, raters and mentioned users.
    var users: [UserRecord] = []
}

extension StoreTransaction {
    /// - Returns: nil if the conversation does not exist, or `reader` may not see it.
    fileprivate func beginning(
        of id: ConversationID,
        for reader: UserID?,
        marksOf marked: UserID?
    ) async throws -> ConversationBeginning? {
        if let reader, try await conversationRefusal(of: reader, in: id) != nil { return nil }
        let conversations = try await query(
            """
            SELECT c.title, c.team_id, c.model, \(GenerationSettings.columns),
                c.context_policy, p.version, l.id AS leaf_id,
                \(TransferExport.milliseconds("c.created_at")) AS created_at,
                \(TransferExport.milliseconds("c.updated_at")) AS updated_at, i.source_system,
                i.source_id, c.event_number, c.is_open
            FROM conversations c LEFT JOIN system_prompts p ON p.id = c.system_prompt_id
            LEFT JOIN messages l ON l.conversation_id = c.id AND l.id = c.leaf_id
                AND l.deleted_at IS NULL AND l.state IN ('complete', 'stopped', 'failed')
            LEFT JOIN LATERAL (
                SELECT source_system, source_id FROM imports
                WHERE conversation_id = c.id AND source_system <> 'stoa'
                ORDER BY source_system, source_id LIMIT 1
            ) i ON true
            WHERE c.id = $1 AND c.deleted_at IS NULL
            """,
            [.uuid(id)]
        )
        guard let row = conversations.first else { return nil }
        let members = try await query(
            """
            SELECT m.user_id, m.role, \(TransferExport.milliseconds("m.joined_at")) AS joined_at,
                s.id AS selected_id,
                CASE WHEN $2::uuid IS NULL OR m.user_id = $2
                    THEN \(TransferExport.milliseconds("m.archived_at")) END AS archived_at,
                CASE WHEN $2::uuid IS NULL OR m.user_id = $2
                    THEN \(TransferExport.milliseconds("m.pinned_at")) END AS pinned_at,
                CASE WHEN $2::uuid IS NULL OR m.user_id = $2 THEN f.name END AS folder,
                CASE WHEN ($2::uuid IS NULL OR m.user_id = $2) AND m.tags <> '{}'
                    THEN m.tags END AS tags,
                unread.id AS unread_id, u.name
            FROM members m JOIN users u ON u.id = m.user_id
            LEFT JOIN folders f ON f.id = m.folder_id
            LEFT JOIN messages s ON s.conversation_id = m.conversation_id
                AND s.id = m.selected_id AND s.deleted_at IS NULL
                AND s.state IN ('complete', 'stopped', 'failed')
            LEFT JOIN LATERAL (\(MemberRecord.unreadSelection)) unread
                ON $2::uuid IS NULL OR m.user_id = $2
            WHERE m.conversation_id = $1 AND u.deleted_at IS NULL ORDER BY m.user_id
            """,
            [.uuid(id), .optional(marked)]
        )
        let prompters = try await query(
            """
            SELECT DISTINCT u.id, u.name FROM system_prompts p JOIN users u ON u.id = p.author_id
            WHERE p.conversation_id = $1 AND u.deleted_at IS NULL ORDER BY u.id
            """,
            [.uuid(id)]
        )
        let users =
            try members.map { row in
                UserRecord(
                    id: try row.id("user_id", of: User.self),
                    name: try row.decode("name", as: String.self)
                )
            } + prompters.map { try UserRecord(row: $0) }
        return ConversationBeginning(
            conversation: try ConversationRecord(id: id, row: row),
            newest: try row.decode("event_number", as: Int64.self),
            members: try members.map { try MemberRecord(conversation: id, row: $0) },
            users: users
        )
    }

    fileprivate func messagePage(
        of id: ConversationID,
        after: Int64,
        upTo newest: Int64,
        _ limits: TransferExport.PageLimits
    ) async throws -> MessagePage {
        // In the order of the event log, which is the order of creation. A page ends early if texts
        // are long; it always has at least one message.
        let rows = try await query(
            """
            WITH page AS (
                SELECT e.n, m.*, sum(octet_length(m.body) + coalesce(pg_column_size(m.receipt), 0))
                    OVER (ORDER BY e.n) AS bytes, row_number() OVER (ORDER BY e.n) AS place
                FROM (
                    SELECT n, message_id FROM events
                    WHERE conversation_id = $1 AND n > $2 AND n <= $3 AND name = $4
                    ORDER BY n LIMIT $5
                ) e
                JOIN messages m ON m.conversation_id = $1 AND m.id = e.message_id
            )
            SELECT m.n, m.deleted_at IS NULL AS is_there, \(MessageRecord.columns), m.receipt::text,
                u.name
            FROM page m LEFT JOIN users u ON u.id = m.author_id AND u.deleted_at IS NULL
            LEFT JOIN messages k ON k.conversation_id = $1 AND k.id = m.continues_id
                AND k.deleted_at IS NULL
            WHERE m.bytes <= $6 OR m.place = 1 ORDER BY m.n
            """,
            [
                .uuid(id), .int64(after), .int64(newest),
                .text(ServerEvent.Name.messageCreated.rawValue), .int64(Int64(limits.messages)),
                .int64(Int64(limits.bytes)),
            ]
        )
        var page = MessagePage()
        for row in rows {
            page.events.append(try row.decode("n", as: Int64.self))
            guard try row.decode("is_there", as: Bool.self) else { continue }
            var message = try MessageRecord(conversation: id, row: row)
            let receipt = try row.decode("receipt", as: String?.self)
            let name = try row.decode("name", as: String?.self)
            if let author = message.author {
                if let name {
                    page.users.append(UserRecord(id: author, name: name))
                } else {
                    (message.author, message.authorName) = (nil, DeletedUser.name)
                }
            }
            page.entries.append((message, receipt))
        }
        try await addOpinions(of: id, to: &page)
        try await addSummaries(of: id, to: &page)
        try await addMentions(of: id, to: &page)
        page.users.sort { $0.id.description < $1.id.description }
        return page
    }

    private func addOpinions(of id: ConversationID, to page: inout MessagePage) async throws {
        let rows = try await query(
            """
            SELECT f.message_id, f.user_id, f.rating, f.text,
                \(TransferExport.milliseconds("f.given_at")) AS given_at, u.name
            FROM feedback f JOIN users u ON u.id = f.user_id AND u.deleted_at IS NULL
            WHERE f.conversation_id = $1 AND f.message_id = ANY ($2)
            ORDER BY f.message_id, f.user_id
            """,
            [.uuid(id), .uuidArray(page.entries.map { $0.message.id.uuid })]
        )
        for row in rows {
            let record = FeedbackRecord(
                conversation: id,
                message: try row.id("message_id", of: Message.self),
                user: try row.id("user_id", of: User.self),
                rating: try row.decode("rating", as: Int.self),
                text: try row.decode("text", as: String?.self),
                givenAt: try row.milliseconds("given_at")
            )
            page.feedback[record.message, default: []].append(record)
            page.users.append(
                UserRecord(id: record.user, name: try row.decode("name", as: String.self))
            )
        }
    }

    private func addSummaries(of id: ConversationID, to page: inout MessagePage) async throws {
        let rows = try await query(
            """
            SELECT id, through_id, message_count, body, receipt::text,
                \(TransferExport.milliseconds("created_at")) AS created_at
            FROM summaries WHERE conversation_id = $1 AND through_id = ANY ($2) ORDER BY id
            """,
            [.uuid(id), .uuidArray(page.entries.map { $0.message.id.uuid })]
        )
        for row in rows {
            let record = SummaryRecord(
                id: try row.id("id", of: Summary.self),
                conversation: id,
                through: try row.id("through_id", of: Message.self),
                messages: try row.decode("message_count", as: Int.self),
                text: try row.decode("body", as: String.self),
                receipt: try row.decode("receipt", as: String.self),
                createdAt: try row.milliseconds("created_at")
            )
            page.summaries[record.through, default: []].append(record)
        }
    }

    private func addMentions(of id: ConversationID, to page: inout MessagePage) async throws {
        let rows = try await query(
            """
            SELECT n.message_id, u.id, u.name
            FROM mentions n JOIN users u ON u.id = n.user_id AND u.deleted_at IS NULL
            WHERE n.conversation_id = $1 AND n.message_id = ANY ($2)
            ORDER BY n.message_id, u.id
            """,
            [.uuid(id), .uuidArray(page.entries.map { $0.message.id.uuid })]
        )
        for row in rows {
            let user = UserRecord(
                id: try row.id("id", of: User.self),
                name: try row.decode("name", as: String.self)
            )
            page.mentions[try row.id("message_id", of: Message.self), default: []].append(user.id)
            page.users.append(user)
        }
    }
}
