// Inserts turns of OpenAI's API: a conversation with its messages, and its pending answers.

public import ChatCore
public import ChatProtocol
import FoundationEssentials
import Postgres

extension StoreTransaction {
    /// Inserts a turn's messages and pending answers, and its conversation unless the turn names
    /// one. Each answer is queued as if it had been asked for alone: under the limits of the queue,
    /// and with a reservation of its own.
    func insert(
        _ turn: RequestedTurn,
        as ids: RequestedTurn.IDs,
        _ promptTokens: [Int],
        _ beginning: String,
        by user: User,
        _ limits: QueueLimits
    ) async throws -> Committed<RequestedTurnReply> {
        let parts = turn.parts(ids, beginning, by: user)
        var own: LockedConversation?
        if turn.place == nil {
            own = try insertConversation(of: turn, as: ids, parts, promptTokens, by: user.id)
        } else {
            try keepRequest(ids.conversation)
        }
        var limits = limits
        var answers: [Message] = []
        var events: [ServerEvent] = []
        var queued: [QueueRow] = []
        var allowance: Allowance?
        for part in parts {
            let request: Sent
            let lock: LockedConversation
            if let own {
                request = try sendSlotRequest(for: user.id, in: ids.conversation, limits)
                lock = own
            } else {
                let lockRequest = try sendLock(ids.conversation, for: user.id)
                request = try sendSlotRequest(for: user.id, in: ids.conversation, limits)
                lock = try await self.lock(ids.conversation, lockRequest, to: .write)
            }
            let slot = try await requireSlot(request, limits)
            try requireActive(slot)
            let inserted = try await insert(part, lock, in: slot)
            own?.advance(by: inserted.events.count, to: inserted.answer.id)
            answers.append(inserted.answer)
            events += inserted.events
            allowance = inserted.allowance
            for var row in inserted.queued {
                if row.claim != nil {
                    limits.freeSlots?.count -= 1
                    if own != nil {
                        row.input = turn.input(
                            of: part,
                            ids,
                            shortenedTo: inserted.shortenedTo,
                            by: user
                        )
                    }
                }
                queued.append(row)
            }
        }
        return Committed(
            value: RequestedTurnReply(
                conversation: ids.conversation,
                answers: answers,
                allowance: allowance
            ),
            events: events,
            queued: queued
        )
    }

    /// Requires that the asker's account is not disabled: nobody acts on a right that was revoked
    /// meanwhile.
    private func requireActive(_ slot: QueueSlot) throws {
        let standing = Standing(role: .owner, team: .noTeam, isDisabled: slot.isUserDisabled)
        if let refusal = Permission.decide(.write, standing).refusal { throw refusal }
    }

    private func insert(
        _ part: RequestedTurn.Part,
        _ lock: LockedConversation,
        in slot: QueueSlot
    ) async throws -> (
        answer: Message, events: [ServerEvent], queued: [QueueRow], allowance: Allowance?,
        shortenedTo: Int?
    ) {
        if part.turn.question != nil {
            let stored = try await insertTurn(part.turn, lock, in: slot)
            let reply = stored.value
            return (
                reply.answer, stored.events, stored.queued, reply.allowance, reply.shortenedTo
            )
        }
        let stored = try await insertAnswer(part.turn, to: part.question, lock, in: slot)
        let reply = stored.value
        return (reply.answer, stored.events, stored.queued, reply.allowance, reply.shortenedTo)
    }

    /// Lets the conversation of a stored request expire later, since it is extended.
    private func keepRequest(_ id: ConversationID) throws {
        try send(
            "UPDATE conversations SET expires_at = now() + interval '30 days' WHERE id = $1",
            [.uuid(id)]
        )
    }

    /// Inserts the conversation of a request, its system prompt and its history, without waiting for
    /// the result. Nobody else can know the conversation, so its row need not be locked and read.
    /// - Returns: the conversation.
    private func insertConversation(
        of turn: RequestedTurn,
        as ids: RequestedTurn.IDs,
        _ parts: [RequestedTurn.Part],
        _ promptTokens: [Int],
        by user: UserID
    ) throws -> LockedConversation {
        let id = ids.conversation
        // `QueueSlot.reserve` adds an estimate for the question.
        let contextTokens = max(
            0,
            zip(promptTokens, turn.questions).map { $0 - ($1.utf8.count / 4 + 8) }.max() ?? 0
        )
        let eventCount = parts.reduce(0) { $0 + ($1.turn.question == nil ? 1 : 2) }
        // It has its own system prompt, even if that is empty: the server's does not apply.
        try send(
            """
            WITH prompt AS (
                INSERT INTO system_prompts (conversation_id, version, body, author_id)
                VALUES ($1, 1, $13, $10)
                RETURNING id
            )
            INSERT INTO conversations
                (id, title, context_policy, model, temperature, top_p, max_tokens, seed,
                stop_strings, context_tokens, leaf_id, api_user_id, api_stored, api_options,
                event_number, max_thinking_tokens, system_prompt_id, expires_at)
            SELECT $1, 'API request', 'refuse', $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $14,
                $15, prompt.id, now() + CASE WHEN $11 THEN interval '30 days' ELSE interval '1 day' END
            FROM prompt
            """,
            [
                .uuid(id), .text(turn.model), .optional(turn.settings.temperature),
                .optional(turn.settings.topP), .optional(turn.settings.maxTokens),
                .optional(turn.settings.seed), turn.settings.stopValue,
                .int32(Int32(clamping: contextTokens)), .optional(parts.last?.turn.answerID),
                .uuid(user), .bool(turn.isStored),
                .json(turn.options.isEmpty ? nil : turn.options), .text(turn.systemPrompt),
                .int64(Int64(eventCount)), .optional(turn.settings.maxThinkingTokens),
            ]
        )
        if !turn.history.isEmpty { try insertHistory(of: turn, as: ids, by: user) }
        var conversation = LockedConversation(
            id: id,
            standing: Standing(role: .owner, team: .noTeam, isDisabled: false),
            selected: nil,
            eventNumber: 0,
            leaf: ids.history.last,
            leafDepth: Int32(ids.history.count),
            title: "API request",
            team: nil,
            answers: LockedConversation.Answers(
                model: turn.model,
                tokensMax: turn.settings.maxTokens ?? 0,
                contextTokens: contextTokens,
                hasContext: true,
                systemPromptBytes: turn.systemPrompt.utf8.count,
                policy: .refuse,
                warmNode: nil,
                isOfRequest: true
            )
        )
        conversation.isNew = true
        return conversation
    }

    private func insertHistory(
        of turn: RequestedTurn,
        as ids: RequestedTurn.IDs,
        by user: UserID
    ) throws {
        try send(
            """
            INSERT INTO messages
                (conversation_id, id, parent_id, depth, role, author_id, body, state, run_id,
                finish, created_n)
            SELECT $1, new.id, lag(new.id) OVER (ORDER BY new.depth), new.depth, new.role,
                CASE WHEN new.role = 'user' THEN $5::uuid END, new.body, 'complete',
                CASE WHEN new.role = 'assistant' THEN new.id END,
                CASE WHEN new.role = 'assistant' THEN 'stop' END, 0
            FROM unnest($2::uuid[], $3::text[], $4::text[])
                WITH ORDINALITY AS new (id, role, body, depth)
            """,
            [
                .uuid(ids.conversation), .uuidArray(ids.history.map(\.uuid)),
                .textArray(turn.history.map(\.role.rawValue)),
                .textArray(turn.history.map(\.text)), .uuid(user),
            ]
        )
    }
}

extension LockedConversation {
    /// Notes that messages were inserted, the last of them an answer.
    fileprivate mutating func advance(by events: Int, to answer: MessageID) {
        eventNumber += Int64(events)
        leaf = answer
        leafDepth = nil
    }
}

extension RequestedTurn {
    /// A question with its first answer, or another answer.
    struct Part {
        /// The question.
        let question: MessageID
        /// The number of the question among the turn's.
        let questionIndex: Int
        /// The number of the answer among the question's.
        let answerIndex: Int
        /// What is stored.
        let turn: NewTurn
    }

    /// What a turn stores, in the order of the events.
    fileprivate func parts(_ ids: IDs, _ beginning: String, by user: User) -> [Part] {
        let last = place?.parent ?? ids.history.last
        var parts: [Part] = []
        for (index, text) in questions.enumerated() {
            for answer in 0..<max(answerCount, 1) {
                let isFirst = answer == 0
                let parent = isFirst ? last : ids.questions[index]
                var turn = NewTurn(
                    question: isFirst ? text : nil,
                    branch: NewTurn.Branch(parent: parent, isSelected: false),
                    by: user
                )
                turn.questionID = ids.questions[index]
                turn.beginning = beginning
                // Its prompt has the question again, which the conversation's tokens do not count.
                if !isFirst { turn.repeatedTextBytes = text.utf8.count }
                parts.append(
                    Part(
                        question: ids.questions[index],
                        questionIndex: index,
                        answerIndex: answer,
                        turn: turn
                    )
                )
            }
        }
        return parts
    }

    /// The input of an answer's first run: what `ContextStore.input` would read of the conversation
    /// that the transaction has inserted. No one else can change it before the run begins.
    fileprivate func input(
        of part: Part,
        _ ids: IDs,
        shortenedTo: Int?,
        by user: User
    ) -> RunInput {
        let index = part.questionIndex
        return RunInput(
            conversation: ids.conversation,
            systemPrompt: systemPrompt,
            systemPromptVersion: SystemPromptVersion(
                scope: .conversation,
                version: 1,
                library: nil
            ),
            model: model,
            settings: settings,
            options: options,
            rawPrompt: options.rawPrompt(at: Int64(index)),
            answerIndex: part.answerIndex,
            shortenedTo: shortenedTo,
            policy: .refuse,
            summary: nil,
            branch: branch(ids, question: index, by: user),
            olderMessageCount: 0,
            firstMessage: ids.history.first ?? (questions.count == 1 ? ids.questions[0] : nil),
            awaitsTitle: false
        )
    }

    /// The messages of the prompt of a question, as a run reads them from the database.
    /// - Parameters:
    ///   - ids: the ids of the turn.
    ///   - index: the number of the question.
    ///   - user: who asks.
    /// - Returns: the messages, oldest first.
    public func branch(_ ids: IDs, question index: Int, by user: User) -> [PromptMessage] {
        let earlier = zip(ids.history, history).map { promptMessage($1, $0, by: user) }
        let question = Earlier(role: .user, text: questions[index])
        return earlier + [promptMessage(question, ids.questions[index], by: user)]
    }

    /// A message as it is in the prompt.
    public func promptMessage(
        _ message: Earlier,
        _ id: MessageID?,
        by user: User
    ) -> PromptMessage {
        let message = PromptMessage(
            id: id,
            role: message.role.rawValue,
            stored: message.text,
            author: message.role == .user ? user.name : nil
        )
        return options.tools == nil ? message : message.withTools
    }
}
