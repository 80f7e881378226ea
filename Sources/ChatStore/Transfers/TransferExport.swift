// An export: records read page by page, each page in a transaction of its own that ends before the page
// is handed over. So a slow reader holds no connection and no snapshot.
//
// What is promised: each page is of one moment, and so is a conversation that fits into one. A longer one
// is read up to the message that was its newest when it was begun; what is said later is not in it, and
// what is deleted meanwhile may be missing. Answers that are still being made are left out.

import ChatCore
public import ChatProtocol
import Postgres
public import Transfers

/// Reads what there is as records. Holds one page of them, and the ids of users that it has told.
public final class TransferExport {
    /// How much a page may hold.
    public struct PageLimits: Sendable {
        /// The most messages.
        public var messages: Int
        /// No more messages are read beyond so many bytes of text.
        public var bytes: Int
        /// The most users, teams, members or conversations.
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
    /// Whose records were handed over. As many as there are users, 16 bytes each.
    var toldUsers: Set<UserID> = []

    /// What comes next.
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
    ///   - store: from where.
    ///   - reader: for whom.
    ///   - after: the conversation after which to go on; nil for the beginning.
    ///   - limits: how much a page may hold.
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

    /// The next page of records, the header first; the end is the writer's to make.
    /// - Returns: nil after the last one. A page may be empty.
    /// - Throws: `WireError` where the reader's right has ended or never was; `PostgresError`.
    public func next() async throws -> [TransferRecord]? {
        switch stage {
        case .header:
            let header = try await header()
            stage = scope.hasPeople ? .users(after: nil) : .libraries(after: nil)
            return [.header(header)]
        case .users(let after):
            let page = try await users(after: after)
            stage = page.last.map { Stage.users(after: $0.id) } ?? .teams(after: nil)
            toldUsers.formUnion(page.map(\.id))
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

    /// Those of some users who were not told yet.
    func newUsers(_ users: [UserRecord]) -> [TransferRecord] {
        users.filter { toldUsers.insert($0.id).inserted }.map(TransferRecord.user)
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

    /// The member as whom a user exports what they see; nil where the scope alone decides.
    var memberWhoReads: UserID? {
        guard case .user(let user) = reader else { return nil }
        return switch scope {
        case .conversation, .user: user
        case .team, .everything: nil
        }
    }

    /// Whose archive and unread marks are told: they are nobody else's business, but an export of
    /// everything has everybody's. Nil for all.
    var memberWithMarks: UserID? {
        guard case .user(let user) = reader, scope != .everything else { return nil }
        return user
    }

    /// Runs `body` at one moment of the database, where the reader still may have the scope.
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

/// Where a page of team members ends.
struct TeamMemberKey {
    let team: TeamID
    let user: UserID
}

extension TransferScope {
    /// Whether users and teams are told before the conversations, also those who are in none.
    fileprivate var hasPeople: Bool {
        switch self {
        case .team, .everything: true
        case .conversation, .user: false
        }
    }
}
