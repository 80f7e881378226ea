// An answer's way into the queue: its place, and the tokens that are reserved for it.

import ChatCore
import ChatProtocol
import FoundationEssentials
import Postgres

/// A place in the queue, and what an answer there comes under.
struct QueuePlace {
    let position: Int64
    /// The conversation's team.
    let team: UUID?
    /// The budgets of the asker and of the conversation's team, as far as they are limited.
    let accounts: [BudgetAccount]
    /// The time of the transaction.
    let time: Timestamp
    /// The longest answer where the conversation says nothing.
    let answerTokens: Int
    /// The shortest answer that a budget may leave room for.
    let answerTokensMin: Int
    /// Prompts up to so many tokens need not be counted; nil where none need be.
    let uncountedPromptTokens: Int?

    /// Reserves what an answer may take, or what is left where that is enough for a short one.
    /// - Parameters:
    ///   - bytes: the length of what the prompt will hold beyond the conversation's last one.
    ///   - answers: what is known of the conversation's answers.
    /// - Returns: the reservation, which is the caller's to store.
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

/// Tokens that are kept free for an answer.
struct Reservation {
    /// A guess of the prompt's length.
    let promptTokens: Int
    /// That, and the longest that the answer may be.
    let tokens: Int64
    /// The longest that the answer may be, where less is left than it could have had; else nil.
    let shortenedTo: Int?
    /// The limit that comes nearest.
    let allowance: Allowance?
}

extension StoreTransaction {
    /// Asks for a place in the queue, and does not wait for it. Behind the conversation's lock: places
    /// are in the order of the events then.
    func sendPlace(
        for user: UserID,
        in conversation: ConversationID,
        _ limits: QueueLimits
    ) throws -> Sent {
        // Counting all is a walk through the queue: only where that may matter.
        let total = limits.total == nil ? "0" : "(SELECT count(*) FROM generations)"
        let ofTeam =
            limits.perTeam == .max
            ? "0" : "(SELECT count(*) FROM generations WHERE team_id = b.team)"
        return try send(
            """
            SELECT \(total)::bigint AS total,
                (SELECT count(*) FROM generations WHERE user_id = $1) AS own,
                \(BudgetSelection.columns),
                \(ofTeam)::bigint AS of_team, nextval('generations_position_seq') AS position
            FROM budget_accounts($1, $2, $3) b
            """,
            [
                .uuid(user), .uuid(conversation), .bool(limits.budgetPerUser != .unlimited),
            ]
        )
    }

    /// Waits for the place that `sendPlace` asked for. Refuses where a user has, or a team has, or all
    /// have, as much in the queue as they may.
    /// - Throws: `WireError.busy`.
    func requirePlace(_ sent: Sent, _ limits: QueueLimits) async throws -> QueuePlace {
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
        return QueuePlace(
            position: try row.decode("position", as: Int64.self),
            team: try row.decode("team", as: UUID?.self),
            accounts: try row.budgetAccounts(otherwise: limits.budgetPerUser),
            time: try row.timestamp("at"),
            answerTokens: limits.answerTokens,
            answerTokensMin: limits.answerTokensMin,
            uncountedPromptTokens: limits.uncountedPromptTokens
        )
    }

    /// Puts an answer in the queue; the ledger has its reservation with that. What comes of it is told
    /// by the commit.
    /// - Parameters:
    ///   - answer: the message, inserted already.
    ///   - lock: where.
    ///   - place: the place that was taken.
    ///   - reservation: what is kept free for it.
    ///   - user: who asks.
    ///   - priority: how urgent it is.
    /// - Returns: the row, for the queue in memory.
    /// - Throws: `PostgresError`.
    func enqueue(
        _ answer: MessageID,
        in lock: LockedConversation,
        at place: QueuePlace,
        _ reservation: Reservation,
        by user: UserID,
        priority: QueuePriority
    ) throws -> QueueRow {
        try send(
            """
            INSERT INTO generations
                (message_id, conversation_id, user_id, priority, prompt_tokens, position, reserved,
                answer_tokens)
            OVERRIDING SYSTEM VALUE VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .uuid(answer), .uuid(lock.id), .uuid(user), .int16(priority.rawValue),
                .int32(Int32(clamping: reservation.promptTokens)), .int64(place.position),
                .int64(reservation.tokens), .optional(reservation.shortenedTo),
            ]
        )
        return QueueRow(
            answer: QueuedAnswer(
                message: answer,
                conversation: lock.id,
                user: user,
                team: place.team,
                priority: priority,
                position: place.position,
                promptTokens: reservation.promptTokens,
                answerTokens: reservation.shortenedTo ?? lock.answers.tokensMax,
                model: lock.answers.model,
                warmNode: lock.answers.warmNode
            ),
            owner: nil,
            isLeased: false
        )
    }
}
