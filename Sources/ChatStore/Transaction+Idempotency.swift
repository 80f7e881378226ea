// Requests that can be repeated: a key is kept with the reply that it got, in the transaction that
// made the reply true.

import ChatCore
import ChatProtocol
import Digests
import FoundationEssentials
import Postgres

/// What tells one request from another that bears the same key.
enum RequestHash {
    /// The SHA-256 of a request's wire form.
    static func of(_ request: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return SHA256.digest(of: (try? encoder.encode(request)) ?? Data()).bytes
    }

    /// The same for requests that look alike and ask for different things.
    static func of(_ request: some Encodable, as operation: ChatProtocol.Operation) -> [UInt8] {
        of(OutgoingRequest(id: 0, operation, request))
    }
}

/// How a transaction begins that takes a key and changes a conversation.
enum Beginning<Reply> {
    /// The same request was answered before.
    case replayed(Reply)
    /// It is new, and the conversation is locked.
    case locked(LockedConversation)
}

extension PostgresTransaction {
    /// Takes `key` for the request with `hash`.
    /// - Returns: the reply that the same request got before; nil where it is new.
    /// - Throws: `WireError.conflict` where the key was used for another request.
    func replay<Reply: Decodable>(
        _ key: String,
        of user: UserID,
        hash: [UInt8],
        as type: Reply.Type
    ) async throws -> Reply? {
        try await replay(
            key,
            of: user,
            hash: hash,
            taken: take(key, of: user, hash: hash),
            as: type
        )
    }

    /// Takes `key` and locks a conversation, together in one round trip.
    /// - Returns: the reply that the same request got before, or the locked conversation.
    /// - Throws: as `replay` and `lock` do.
    func begin<Reply: Decodable>(
        _ key: String,
        of user: UserID,
        hash: [UInt8],
        in conversation: ConversationID,
        to action: ConversationAction,
        as type: Reply.Type
    ) async throws -> Beginning<Reply> {
        let taken = try take(key, of: user, hash: hash)
        let locked = try sendLock(conversation, for: user)
        let reply = try await replay(key, of: user, hash: hash, taken: taken, as: type)
        if let reply { return .replayed(reply) }
        return .locked(try await lock(conversation, locked, to: action))
    }

    private func take(_ key: String, of user: UserID, hash: [UInt8]) throws -> Sent {
        guard (1...64).contains(key.utf8.count) else {
            throw WireError(.badRequest, "key must be 1 to 64 bytes long")
        }
        // Two requests with one key: the second waits here until the first has ended.
        return try send(
            """
            INSERT INTO idempotency_keys (user_id, key, request_hash) VALUES ($1, $2, $3)
            ON CONFLICT DO NOTHING
            """,
            [.uuid(user), .text(key), .bytes(hash)]
        )
    }

    private func replay<Reply: Decodable>(
        _ key: String,
        of user: UserID,
        hash: [UInt8],
        taken: Sent,
        as type: Reply.Type
    ) async throws -> Reply? {
        if try await taken.rows().affectedRowCount == 1 { return nil }
        let rows = try await query(
            "SELECT request_hash, reply FROM idempotency_keys WHERE user_id = $1 AND key = $2",
            [.uuid(user), .text(key)]
        )
        guard let row = rows.first, try row.decode(0, as: [UInt8].self) == hash,
            let reply = try row.json(1, as: Reply.self)
        else { throw WireError(.conflict, "this key was used for another request") }
        return reply
    }

    /// Keeps the reply that `key` got. What comes of it is told by the commit.
    func keep(_ reply: some Encodable, under key: String, of user: UserID) async throws {
        try send(
            "UPDATE idempotency_keys SET reply = $3 WHERE user_id = $1 AND key = $2",
            [
                .uuid(user), .text(key),
                .text(String(decoding: WireEncoding.text(reply), as: UTF8.self)),
            ]
        )
    }
}
