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
    static func of<Request, Reply>(
        _ request: Request,
        as operation: ChatProtocol.Operation<Request, Reply>
    ) -> [UInt8] {
        of(OutgoingRequest(id: 0, operation, request))
    }
}

/// A request that is done once, however often it comes.
struct KeyedRequest {
    let key: String
    let user: UserID
    let hash: [UInt8]

    /// - Throws: `WireError.badRequest` where the key is none.
    init(_ key: String, of user: UserID, hash: [UInt8]) throws(WireError) {
        guard (1...64).contains(key.utf8.count) else {
            throw WireError(.badRequest, "key must be 1 to 64 bytes long")
        }
        self.key = key
        self.user = user
        self.hash = hash
    }
}

extension StorePool {
    /// Runs `body`, which keeps its reply under a key, in a transaction.
    ///
    /// Of two that come at once with one key, the second finds at its end that the key is taken. All
    /// that it did is undone; run again, it finds the first one's reply.
    func keyed<Value>(
        _ body: (StoreTransaction) async throws -> Value
    ) async throws -> Value {
        do {
            return try await transaction(body)
        } catch PostgresError.server(let error) where error.constraint == "idempotency_keys_pkey" {
            return try await transaction(body)
        }
    }
}

extension StoreTransaction {
    /// Asks for the reply that the same request got before, and does not wait for it. To be sent
    /// behind the lock of what the request changes, where there is one: whoever waits for that lock
    /// then sees what its holder kept.
    func sendReplay(of request: KeyedRequest) throws -> Sent {
        try send(
            "SELECT request_hash, reply FROM idempotency_keys WHERE user_id = $1 AND key = $2",
            [.uuid(request.user), .text(request.key)]
        )
    }

    /// Waits for what `sendReplay` asked for.
    /// - Returns: the reply that the same request got before; nil where it is new.
    /// - Throws: `WireError.conflict` where the key was used for another request.
    func replay<Reply: Decodable>(
        of request: KeyedRequest,
        _ sent: Sent,
        as type: Reply.Type
    ) async throws -> Reply? {
        guard let row = try await sent.rows().first else { return nil }
        guard try row.decode("request_hash", as: [UInt8].self) == request.hash,
            let reply = try row.json("reply", as: Reply.self)
        else { throw WireError(.conflict, "this key was used for another request") }
        return reply
    }

    /// As `sendReplay` and `replay` together.
    func replay<Reply: Decodable>(
        of request: KeyedRequest,
        as type: Reply.Type
    ) async throws -> Reply? {
        try await replay(of: request, sendReplay(of: request), as: type)
    }

    /// Keeps the reply that a request got. What comes of it is told by the commit.
    /// - Returns: its JSON.
    @discardableResult
    func keep(_ reply: some Encodable, of request: KeyedRequest) throws -> [UInt8] {
        let text = WireEncoding.text(reply)
        try send(
            """
            INSERT INTO idempotency_keys (user_id, key, request_hash, reply)
            VALUES ($1, $2, $3, $4)
            """,
            [
                .uuid(request.user), .text(request.key), .bytes(request.hash),
                .text(String(decoding: text, as: UTF8.self)),
            ]
        )
        return text
    }
}
