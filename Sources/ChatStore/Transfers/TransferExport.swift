// An export reads records page by page, each page in a transaction that ends before the page is
// returned. So a slow reader holds no connection and no snapshot.
//
// Consistency: each page is a snapshot, and so is a conversation that fits into one page. A longer
// one is read up to the message that was its newest at the start; later messages are not included,
// and messages deleted meanwhile may be missing. Unfinished answers are left out.

import ChatCore
public import ChatProtocol
import Postgres
public import Transfers

/// Reads the database as records. Keeps one page in memory, and the ids of users whose records were
/// returned.
public final class TransferExport {
    /// Limits of a page.
    public struct PageLimits: Sendable {
        /// Maximum messages.
        public var messages: Int
        /// Bytes of text after which no more messages are read.
        public var bytes: Int
        /// Maximum users, teams, members or conversations.
        public var others: Int

        /// Creates the limits.
        public init(messages: Int = 250, bytes: Int = 1 << 20, others: Int = 500) {
            self.messages = messages
            self.bytes = bytes
            self.others = others
        }
    }

    let store: TransferStore
    let scope: TransferScope
    let reader: ExportReader
    let limits: PageLimits
    private var stage: Stage
    /// Conversations that were listed and not read yet, the next one last.
    private var listed: [ConversationID] = []
    private var lastListed: ConversationID?
    /// Users whose records were returned: 16 bytes each.
    var exportedUsers: Set<UserID> = []

    /// The next part.
    private enum Stage {
        case header
        case users(after: UserID?)
        case teams(after: TeamID?)
        case teamMembers(after: TeamMemberKey?)
        case serverPrompts(after: Int32)
        case libraries(after: PromptVersionKey?)
        case conversations
        case conversation(ConversationPages)
        case done
    }

    /// - Parameters:
    ///   - scope: what to export.
    ///   - store: the store.
    ///   - reader: the reader, whose rights apply.
    ///   - after: the conversation to continue after; nil to start.
    ///   - limits: the limits of a page.
    public init(
        of scope: TransferScope,
        from store: TransferStore,
        for reader: ExportReader,
        after: ConversationID? = nil,
        limits: PageLimits = PageLimits()
    ) {
        self.store = store
        self.scope = scope
        self.reader = reader
        self.limits = limits
        stage = .header
        lastListed = after
    }

    /// The next page of records, the header first; the caller writes the end.
    /// - Returns: nil after the last one. A page may be empty.
    /// - Throws: `WireError` if the reader has no right to it; `PostgresError`.
    public func next() async throws -> [TransferRecord]? {
        switch stage {
        case .header:
            let header = try await header()
            stage = scope.hasPeople ? .users(after: nil) : .libraries(after: nil)
            return [.header(header)]
        case .users(let after):
            let page = try await users(after: after)
            stage = page.last.map { Stage.users(after: $0.id) } ?? .teams(after: nil)
            exportedUsers.formUnion(page.map(\.id))
            return page.map(TransferRecord.user)
        case .teams(let after):
            let page = try await teams(after: after)
            stage = page.last.map { Stage.teams(after: $0.id) } ?? .teamMembers(after: nil)
            return page.map(TransferRecord.team)
        case .teamMembers(let after):
            let page = try await teamMembers(after: after)
            stage =
                page.last.map {
                    Stage.teamMembers(after: TeamMemberKey(team: $0.team, user: $0.user))
                }
                ?? .serverPrompts(after: 0)
            return page.map(TransferRecord.teamMember)
        case .serverPrompts(let after):
            let page = try await serverPrompts(after: after)
            stage =
                page.last.map { Stage.serverPrompts(after: Int32(clamping: $0.version)) }
                ?? .libraries(after: nil)
            return page.map(TransferRecord.systemPrompt)
        case .libraries(let after):
            let page = try await libraryPage(after: after)
            stage = page.last.map { Stage.libraries(after: $0) } ?? .conversations
            return newUsers(page.users) + page.records
        case .conversations:
            return try await nextConversation()
        case .conversation(var pages):
            let records = try await pages.next(of: self)
            stage = pages.isDone ? .conversations : .conversation(pages)
            return records
        case .done:
            return nil
        }
    }

    /// The records of users that were not returned before.
    func newUsers(_ users: [UserRecord]) -> [TransferRecord] {
        users.filter { exportedUsers.insert($0.id).inserted }.map(TransferRecord.user)
    }

    private func nextConversation() async throws -> [TransferRecord]? {
        if listed.isEmpty {
            let page = try await conversations(after: lastListed)
            guard let last = page.last else {
                stage = .done
                return nil
            }
            lastListed = last
            listed = page.reversed()
        }
        if let next = listed.popLast() { stage = .conversation(ConversationPages(of: next)) }
        return []
    }

    private func header() async throws -> TransferHeader {
        try await store.requireExport(of: scope, by: reader)
        return TransferHeader(
            exportedAt: .now,
            server: try await store.pool.epoch(),
            scope: scope,
            after: lastListed?.description,
            conversations: try await conversationCount()
        )
    }

    /// The user whose memberships limit a user's own export; nil if the scope alone decides.
    var memberWhoReads: UserID? {
        guard case .user(let user) = reader else { return nil }
        return switch scope {
        case .conversation, .user: user
        case .team, .everything: nil
        }
    }

    /// The user whose archive and unread marks are exported: they are private, but an export of
    /// everything includes everyone's. Nil for all.
    var memberWithMarks: UserID? {
        guard case .user(let user) = reader, scope != .everything else { return nil }
        return user
    }

    /// Runs `body` in a transaction, if the reader still has the right.
    func page<Value>(
        _ body: (StoreTransaction) async throws -> Value
    ) async throws -> Value {
        let (scope, reader) = (scope, reader)
        return try await store.pool.transaction(isolation: .repeatableRead) { transaction in
            try await transaction.requireExport(of: scope, by: reader)
            return try await body(transaction)
        }
    }
}

/// The end of a page of team members.
struct TeamMemberKey {
    let team: TeamID
    let user: UserID
}

extension TransferScope {
    /// Whether all users and teams are exported before the conversations, including those without
    /// any.
    fileprivate var hasPeople: Bool {
        switch self {
        case .team, .everything: true
        case .conversation, .user: false
        }
    }
}
