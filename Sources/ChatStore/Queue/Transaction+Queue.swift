// Adds answers to the queue: checks its limits, takes a position, and reserves tokens.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// A free slot in the queue, and the limits for the answer in it.
struct QueueSlot {
    /// The queue position.
    let position: Int64
    /// The conversation's team.
    let team: UUID?
    /// The limited budgets among those of the user and of the conversation's team.
    let accounts: [BudgetAccount]
    /// The time of the transaction.
    let time: Timestamp
    /// Maximum tokens of an answer if the conversation sets none.
    let answerTokens: Int
    /// Minimum tokens that a budget must allow for an answer.
    let answerTokensMin: Int
    /// Maximum tokens of a prompt that need not be counted; nil if no prompt is counted.
    let uncountedPromptTokens: Int?
    /// The trace that the answer is a part of; nil for none.
    let trace: QueuedTrace?
    /// Whether the user's account is disabled.
    let isUserDisabled: Bool
    /// Whether the conversation has another unfinished answer.
    let isFollowing: Bool
    /// Slots in which the answer may start.
    let freeSlots: FreeSlots?

    /// The slots, if the answer starts in one of them; nil if it has to be queued.
    func freeSlots(for answers: LockedConversation.Answers) -> FreeSlots? {
        guard answers.isOfRequest || !isFollowing, let freeSlots, freeSlots.suit(answers) else {
            return nil
        }
        return freeSlots
    }

    /// Reserves tokens for an answer: for the longest one, or the rest of a budget if that is
    /// enough for the shortest one.
    /// - Parameters:
    ///   - bytes: bytes of text that the prompt adds to the conversation's last one.
    ///   - answers: the conversation's model, limits and context.
    /// - Returns: the reservation; the caller stores it.
    /// - Throws: `WireError.budgetExceeded`.
    func reserve(
        newTextBytes bytes: Int,
        _ answers: LockedConversation.Answers
    ) throws(WireError) -> Reservation {
        let promptTokens = answers.contextTokens + bytes / 4 + 8
        let longest = answers.tokensMax > 0 ? answers.tokensMax : answerTokens
        let (verdict, answer) = BudgetVerdict.fit(
            prompt: Int64(promptTokens),
            longest: Int64(longest),
            shortest: Int64(answerTokensMin),
            under: accounts,
            at: time
        )
        let tokens = Int64(promptTokens) + answer
        switch verdict {
        case .granted(let allowance):
            return Reservation(
                promptTokens: promptTokens,
                tokens: tokens,
                shortenedTo: answer < Int64(longest) ? Int(answer) : nil,
                allowance: allowance
            )
        case .exceeded(let allowance): throw allowance.refusal(of: tokens, at: time)
        }
    }
}

/// Tokens reserved for an answer.
struct Reservation {
    /// The estimated length of the prompt.
    let promptTokens: Int
    /// The tokens of the prompt and of the longest answer.
    let tokens: Int64
    /// The maximum length of the answer if a budget shortened it; else nil.
    let shortenedTo: Int?
    /// The limit with the fewest tokens left.
    let allowance: Allowance?
}

extension StoreTransaction {
    /// Requests a slot in the queue, without waiting for it. Send it after the lock of the
    /// conversation, or its insertion: then the queue positions are in the order of the events.
    func sendSlotRequest(
        for user: UserID,
        in conversation: ConversationID,
        _ limits: QueueLimits
    ) throws -> Sent {
        // Counting all rows scans the queue, so it is done only if there is a limit.
        let total = limits.total == nil ? "0" : "(SELECT count(*) FROM generations)"
        let ofTeam =
            limits.perTeam == .max
            ? "0" : "(SELECT count(*) FROM generations WHERE team_id = b.team)"
        return try send(
            """
            SELECT \(total)::bigint AS total,
                (SELECT count(*) FROM generations WHERE user_id = $1) AS own,
                EXISTS (SELECT FROM generations WHERE conversation_id = $2) AS is_following,
                (SELECT disabled_at IS NOT NULL FROM users WHERE id = $1) AS is_user_disabled,
                \(BudgetSelection.columns),
                \(ofTeam)::bigint AS of_team, nextval('generations_position_seq') AS position
            FROM budget_accounts($1, $2, $3) b
            """,
            [
                .uuid(user), .uuid(conversation), .bool(limits.budgetPerUser != .unlimited),
            ]
        )
    }

    /// Waits for the result of `sendSlotRequest`.
    /// - Throws: `WireError.busy` if the queue is full, or the user or the team has too many
    ///   answers in it.
    func requireSlot(_ sent: Sent, _ limits: QueueLimits) async throws -> QueueSlot {
        let row = try await sent.rows().first
        guard let row else { throw WireError(.internalError, "reading the queue position failed") }
        if try row.decode("own", as: Int64.self) >= Int64(limits.perUser) {
            throw WireError(
                .busy,
                "you have \(limits.perUser) answers waiting; let some of them finish",
                retryAfter: 5
            )
        }
        if try row.decode("of_team", as: Int64.self) >= Int64(limits.perTeam) {
            throw WireError(
                .busy,
                "your team has \(limits.perTeam) answers waiting; let some of them finish",
                retryAfter: 5
            )
        }
        if let total = limits.total, try row.decode("total", as: Int64.self) >= Int64(total) {
            throw WireError(.busy, "too many answers are waiting on this server", retryAfter: 10)
        }
        return QueueSlot(
            position: try row.decode("position", as: Int64.self),
            team: try row.decode("team", as: UUID?.self),
            accounts: try row.budgetAccounts(otherwise: limits.budgetPerUser),
            time: try row.timestamp("at"),
            answerTokens: limits.answerTokens,
            answerTokensMin: limits.answerTokensMin,
            uncountedPromptTokens: limits.uncountedPromptTokens,
            trace: limits.trace,
            isUserDisabled: try row.decode("is_user_disabled", as: Bool?.self) ?? true,
            isFollowing: try row.decode("is_following", as: Bool.self),
            freeSlots: limits.freeSlots
        )
    }

    /// Adds an answer to the queue; a trigger adds its reservation to the ledger. Does not wait
    /// for the result: the commit reports errors. If the answer starts in a free slot, its row is
    /// that of a claimed run whose first attempt is counted, as after `QueueStore.claim`.
    /// - Parameters:
    ///   - answer: the message; already inserted.
    ///   - n: the number of the event that created it.
    ///   - lock: the conversation.
    ///   - slot: the slot.
    ///   - reservation: the tokens reserved for the answer.
    ///   - user: the user who requested the answer.
    ///   - priority: the priority.
    /// - Returns: the row, for the queue in memory.
    /// - Throws: `PostgresError`.
    func enqueue(
        _ answer: Message,
        n: Int64,
        in lock: LockedConversation,
        slot: QueueSlot,
        _ reservation: Reservation,
        by user: UserID,
        priority: QueuePriority
    ) throws -> QueueRow {
        let free = slot.freeSlots(for: lock.answers)
        let attempts = free == nil ? 0 : 1
        // The time of the statement: the transaction may have waited for the conversation's lock.
        try send(
            """
            INSERT INTO generations
                (message_id, conversation_id, user_id, priority, prompt_tokens, position, reserved,
                answer_tokens, trace_parent, trace_state, lease_owner, lease_until, attempts, tries,
                run_id)
            OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11,
                clock_timestamp() + $12::double precision * interval '1 second', $13, $13, $14)
            """,
            [
                .uuid(answer.id), .uuid(lock.id), .uuid(user), .int16(priority.rawValue),
                .int32(Int32(clamping: reservation.promptTokens)), .int64(slot.position),
                .int64(reservation.tokens), .optional(reservation.shortenedTo),
                .optional(slot.trace?.parent), .optional(slot.trace?.state),
                .uuid(free?.node), .optional(free?.lease.seconds), .int32(Int32(attempts)),
                free == nil ? .null : .optional(answer.run),
            ]
        )
        var row = QueueRow(
            answer: QueuedAnswer(
                message: answer.id,
                conversation: lock.id,
                user: user,
                team: slot.team,
                priority: priority,
                position: slot.position,
                promptTokens: reservation.promptTokens,
                answerTokens: reservation.shortenedTo ?? lock.answers.tokensMax,
                model: lock.answers.model,
                warmNode: lock.answers.warmNode,
                isIndependent: lock.answers.isOfRequest
            ),
            owner: free?.node,
            isLeased: free != nil
        )
        if free != nil, let run = answer.run {
            row.claim = ClaimedRun(
                message: answer.id,
                conversation: lock.id,
                run: run,
                attempt: 1,
                isRestart: false,
                createdN: n,
                queuedAt: slot.time,
                trace: slot.trace,
                start: RunStart(firstWith: answer.text, stop: nil)
            )
        }
        return row
    }
}
