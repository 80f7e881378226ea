// Writes records into the database. A conversation is written in batches, each in a transaction,
// and is hidden until its last one: then all of it is visible at once. What an interrupted import
// left hidden is deleted when the same conversation is imported again, or with other deleted
// conversations.

import ChatCore
public import ChatProtocol
import Postgres
public import Transfers

/// Imports one transfer. Keeps a batch in memory, and the ids of one conversation's messages.
public final class TransferImport {
    let store: TransferStore
    let owner: ImportOwner
    let limits: ImportLimits
    let isDryRun: Bool
    /// The model for conversations that name none.
    let defaultModel: String
    /// Called with the members of each conversation when it is imported.
    public var onConversation: (_ members: [UserID]) -> Void = { _ in }
    /// The report so far.
    public internal(set) var report = TransferReport()

    /// The conversation whose records are being read.
    var current: ConversationLoad?
    /// The conversation whose records are skipped, since it exists.
    private var passedOver: ConversationID?
    var users: [UserRecord] = []
    /// Users of the file who exist here, or, in a user's account, the names of the others.
    var knownUsers: Set<UserID> = []
    var names: [UserID: String] = [:]
    /// The teams that this import created: it adds members only to these.
    var newTeams: Set<TeamID> = []
    /// The library prompt whose versions are being read.
    var prompt: PromptLoad?
    /// The prompt whose versions are skipped, since it exists.
    var passedOverPrompt: PromptID?
    /// New ids of prompts whose ids were taken: at most as many as one library has.
    var promptIDs: [PromptID: PromptID] = [:]
    private var conversationCount = 0

    /// - Parameters:
    ///   - store: the store.
    ///   - owner: on whose behalf.
    ///   - isDryRun: whether only to report what would be done.
    ///   - limits: the limits.
    ///   - defaultModel: the model for conversations that name none.
    public init(
        into store: TransferStore,
        as owner: ImportOwner,
        isDryRun: Bool = false,
        limits: ImportLimits = ImportLimits(),
        defaultModel: String
    ) {
        self.store = store
        self.owner = owner
        self.isDryRun = isDryRun
        self.limits = limits
        self.defaultModel = defaultModel
    }

    /// Imports the next record.
    /// - Throws: `TransferError.limitExceeded`; `PostgresError` if the database is unavailable.
    ///   What was imported before stays.
    public func load(_ record: TransferRecord) async throws {
        switch record {
        case .header: break
        case .user(let user): try await add(user)
        case .team(let team): try await add(team)
        case .teamMember(let member): try await add(member)
        case .prompt(let prompt): try await add(prompt)
        case .promptVersion(let version): try await add(version)
        case .conversation(let conversation): try await begin(conversation)
        case .end:
            try await finishPrompt()
            try await finishConversation()
        case .systemPrompt(let prompt) where prompt.conversation == nil:
            try await addServerPrompt(prompt)
        case .systemPrompt(let prompt):
            try await part(.systemPrompt, of: prompt.conversation, "\(prompt.id)") { load in
                var prompt = prompt
                prompt.text = kept(prompt.text, of: "system prompt \(prompt.id)")
                prompt.author = localAuthor(prompt.author)
                prompt.library = local(prompt.library)
                load.batch.prompts.append(prompt)
                load.batch.bytes += prompt.text.utf8.count
                load.counts[.systemPrompt] += 1
                return nil
            }
        case .member(let member):
            try await part(.member, of: member.conversation, "\(member.user)") { load in
                guard load.members.count < limits.users else { return .tooManyParts }
                load.members.append(member)
                return nil
            }
        case .message(let message):
            try await part(.message, of: message.conversation, "\(message.id)") { load in
                load.add(prepared(message, of: load), limits: limits)
            }
        case .receipt(let receipt):
            try await part(.receipt, of: receipt.conversation, "\(receipt.message)") { load in
                load.add(receipt)
            }
        case .feedback(let feedback):
            try await part(.feedback, of: feedback.conversation, "\(feedback.message)") { load in
                add(feedback, to: &load)
            }
        case .summary(let summary):
            try await part(.summary, of: summary.conversation, "\(summary.id)") { load in
                guard load.batch.messages.last?.record.id == summary.through else {
                    return .noMessage
                }
                guard (1...65536).contains(summary.text.utf8.count), summary.messages > 0 else {
                    return .malformedSummary
                }
                guard load.batch.summaries.last?.through != summary.through else {
                    return .duplicate
                }
                load.batch.summaries.append(summary)
                load.batch.bytes += summary.text.utf8.count + summary.receipt.utf8.count
                load.counts[.summary] += 1
                return nil
            }
        }
    }

    /// Ends the import after the last record.
    /// - Throws: as `load`.
    public func finish() async throws {
        try await flushUsers()
        try await finishPrompt()
        try await finishConversation()
        try await audit()
    }

    /// Deletes what was written of an unfinished conversation.
    public func abandon() async {
        if let load = current, load.isBegun { try? await store.dropHidden(load.target) }
        current = nil
        if let prompt, prompt.isNew, !isDryRun { try? await store.dropHidden(prompt.target) }
        prompt = nil
    }

    // MARK: Conversations

    private func begin(_ conversation: ConversationRecord) async throws {
        try await flushUsers()
        try await finishPrompt()
        try await finishConversation()
        passedOver = nil
        conversationCount += 1
        guard conversationCount <= limits.conversations else {
            throw TransferError.limitExceeded(
                "the file has more than \(limits.conversations) conversations"
            )
        }
        switch try await place(of: conversation) {
        case .found:
            passedOver = conversation.id
            report.found[.conversation] += 1
        case .free(let id, let replaced):
            let load = ConversationLoad(conversation, as: id, replacing: replaced)
            if load.isRenamed {
                report.changed.note("conversation \(conversation.id)", .newIdentifier)
            }
            noteChanges(of: conversation)
            current = load
        }
    }

    /// Adds a part to the conversation that is being read.
    private func part(
        _ kind: TransferRecord.Kind,
        of conversation: ConversationID?,
        _ name: String,
        _ add: (inout ConversationLoad) -> ImportReason?
    ) async throws {
        if let passedOver, passedOver == conversation {
            report.found[kind] += 1
            return
        }
        guard var load = current, load.record.id == conversation else {
            report.skipped.note("\(kind.rawValue) \(name)", .noConversation)
            return
        }
        guard load.failure == nil else { return }
        let isFull =
            load.batch.messages.count + load.batch.prompts.count >= limits.batch.messages
            || load.batch.bytes >= limits.batch.bytes
        // Feedback, receipts and summaries are written with their message.
        if isFull, kind == .message || kind == .systemPrompt { try await write(&load) }
        if let reason = add(&load) {
            report.skipped.note("\(kind.rawValue) \(name)", reason)
        }
        current = load
    }

    private func finishConversation() async throws {
        guard var load = current else { return }
        current = nil
        if load.failure == nil { try await write(&load, isLast: true) }
        if let failure = load.failure {
            if load.isBegun { try await store.dropHidden(load.target) }
            report.skipped.note("conversation \(load.record.id)", failure)
        } else {
            report.created.add(load.counts)
        }
    }

    /// Writes what was read of a conversation; with the last batch it becomes visible.
    /// - Parameters:
    ///   - load: what was read. If the database rejects a value, its `failure` is set.
    ///   - isLast: whether this is the last batch.
    /// - Throws: `PostgresError` if the database is unavailable.
    func write(_ load: inout ConversationLoad, isLast: Bool = false) async throws {
        defer { load.batch = ConversationLoad.Batch() }
        guard !isDryRun else { return }
        do {
            let ids = load.batch.messages.compactMap { load.id(of: $0.record.id) }
            load.rename(try await store.taken(ids))
            let (loaded, owner, defaultModel) = (load, owner, defaultModel)
            let members: [UserID] = try await store.pool.transaction { transaction in
                let writer = ConversationWriter(
                    transaction: transaction,
                    load: loaded,
                    owner: owner,
                    defaultModel: defaultModel
                )
                try await writer.writeBatch()
                return try await isLast ? writer.reveal() : []
            }
            load.isBegun = true
            if isLast {
                load.counts[.member] = owner.user == nil ? members.count : 0
                if !members.isEmpty { onConversation(members) }
            }
        } catch PostgresError.server(let error) where error.isCausedByValues {
            load.failure = .refusedByDatabase
        } catch PostgresError.unrepresentableParameter {
            load.failure = .refusedByDatabase
        } catch let error as WireError where error.code == .conflict {
            load.failure = .taken
        }
    }

    /// A text as it can be stored; changes are recorded in the report.
    func kept(_ text: String, of object: String) -> String {
        let kept = ImportedText(text, atMost: limits.textBytes)
        if let change = kept.change { report.changed.note(object, change) }
        return kept.text
    }

    private func noteChanges(of conversation: ConversationRecord) {
        let object = "conversation \(conversation.id)"
        if conversation.settings != conversation.settings.withinBounds {
            report.changed.note(object, .settings)
        }
        if owner.user != nil, conversation.team != nil {
            report.changed.note(object, .leftTeam)
        }
    }
}
