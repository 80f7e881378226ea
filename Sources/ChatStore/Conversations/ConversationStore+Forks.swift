// Forks: copies a branch into a new conversation of the user. The copy is independent: later
// messages and members are not shared.

import ChatCore
public import ChatProtocol
import Postgres

extension ConversationStore {
    /// Maximum messages of a copy.
    private static let forkedMessagesMax = 10_000

    /// Copies the branch that ends at a message into a new conversation, with system prompt, model
    /// and settings. Repeating the key returns the first reply and copies nothing.
    /// - Throws: `WireError.busy` if an answer on the branch is not finished.
    public func fork(
        _ request: ConversationForkRequest,
        by user: UserID
    ) async throws -> Conversation {
        let keyed = try KeyedRequest(
            request.key,
            of: user,
            hash: RequestHash.of(request, as: .conversationFork)
        )
        return try await pool.keyed { transaction in
            let reply = try await transaction.replay(of: keyed, as: Conversation.self)
            if let reply { return reply }
            // A fork of a team's conversation stays in the team. Teams are locked before
            // conversations, and a user who cannot see the conversation learns nothing about its
            // team.
            var verdict = Permission.granted
            let team = try await transaction.team(of: request.conversation)
            if let team {
                let role = try await transaction.heldRole(of: user, in: team)
                verdict = Permission.decide(TeamAction.write, as: role)
            }
            let lock = try await transaction.lock(request.conversation, for: user, to: .read)
            guard lock.team == team else { throw WireError.movedMeanwhile }
            if let refusal = verdict.refusal(invisible: .noSuchConversation) { throw refusal }
            let branch = try await transaction.finishedBranch(
                endingAt: request.message,
                in: lock.id,
                limit: Self.forkedMessagesMax
            )
            let id = ConversationID.make()
            try await transaction.copyConversation(lock.id, as: id, request.title, branch.count)
            try await transaction.addOwner(user, of: id)
            try await transaction.copyMessages(branch, of: lock.id, to: id)
            let conversation = try await transaction.conversation(id, for: user)
            try transaction.keep(conversation, of: keyed)
            return conversation
        }
    }
}

extension StoreTransaction {
    /// The messages of the branch that ends at a message, oldest first.
    fileprivate func finishedBranch(
        endingAt last: MessageID,
        in conversation: ConversationID,
        limit: Int
    ) async throws -> [MessageID] {
        _ = try await message(last, in: conversation)
        let rows = try await query(
            MessageSelection.branch + "SELECT m.id, m.state FROM m ORDER BY m.depth",
            [.uuid(conversation), .uuid(last), .int32(Int32(limit) + 1)]
        )
        guard rows.count <= limit else {
            throw WireError(
                .limitExceeded,
                "the branch is longer than \(limit) messages; fork at an earlier one"
            )
        }
        return try rows.map { row in
            guard try row.word("state", as: MessageState.self).isFinal else {
                throw WireError(
                    .busy,
                    "an answer on this branch is still being generated: fork when it is done",
                    retryAfter: 2
                )
            }
            return try row.id("id", of: Message.self)
        }
    }

    fileprivate func copyConversation(
        _ source: ConversationID,
        as copy: ConversationID,
        _ title: String?,
        _ messageCount: Int
    ) async throws {
        _ = try await query(
            """
            INSERT INTO conversations
                (id, title, context_policy, model, temperature, top_p, max_tokens, seed,
                stop_strings, max_thinking_tokens, event_number, team_id)
            SELECT $2, coalesce($3, title), context_policy, model, temperature, top_p, max_tokens,
                seed, stop_strings, max_thinking_tokens, $4, team_id
            FROM conversations WHERE id = $1
            """,
            [
                .uuid(source), .uuid(copy), .optional(title), .int64(Int64(messageCount)),
            ]
        )
        try await copySystemPrompt(of: source, to: copy)
    }

    /// Copies messages under new ids with the same times, each with its event: the copy's event log
    /// is complete.
    fileprivate func copyMessages(
        _ branch: [MessageID],
        of source: ConversationID,
        to copy: ConversationID
    ) async throws {
        let ids = branch.map { MessageID.make(milliseconds: $0.milliseconds) }
        _ = try await query(
            """
            INSERT INTO messages
                (conversation_id, id, parent_id, depth, role, author_id, author_name, body, state,
                run_id, finish, usage, error, dropped_messages, summarized_messages, created_at,
                created_n)
            SELECT $2, c.new, ($4::uuid[])[c.place - 1], c.place, m.role, m.author_id,
                m.author_name, m.body, m.state,
                CASE m.role WHEN 'assistant' THEN ($5::uuid[])[c.place] END,
                m.finish, m.usage, m.error, m.dropped_messages, m.summarized_messages,
                m.created_at, c.place
            FROM unnest($3::uuid[], $4::uuid[]) WITH ORDINALITY AS c (old, new, place)
            JOIN messages m ON m.conversation_id = $1 AND m.id = c.old
            """,
            [
                .uuid(source), .uuid(copy), .uuidArray(branch.map(\.uuid)),
                .uuidArray(ids.map(\.uuid)), .uuidArray(branch.map { _ in RunID.make().uuid }),
            ]
        )
        _ = try await query(
            """
            INSERT INTO events (conversation_id, n, name, message_id)
            SELECT $1, c.place, $3, c.id
            FROM unnest($2::uuid[]) WITH ORDINALITY AS c (id, place)
            """,
            [
                .uuid(copy), .uuidArray(ids.map(\.uuid)),
                .text(ServerEvent.Name.messageCreated.rawValue),
            ]
        )
        _ = try await query(
            "UPDATE conversations SET leaf_id = $2 WHERE id = $1",
            [.uuid(copy), .optional(ids.last)]
        )
    }
}
