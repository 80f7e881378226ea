// Idempotent requests: a key is stored with the reply, in the transaction of the request.

import ChatCore
import ChatProtocol
import Digests
import FoundationEssentials
import Postgres

/// Distinguishes requests with the same key.
enum RequestHash {
    /// The SHA-256 of a request's wire form.
    static func of(_ request: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        return SHA256.digest(of: (try? encoder.encode(request)) ?? Data()).bytes
    }

    /// The same for operations whose requests have the same form.
    static func of<Request, Reply>(
        _ request: Request,
        as operation: ChatProtocol.Operation<Request, Reply>
    ) -> [UInt8] {
        of(OutgoingRequest(id: 0, operation, request))
    }
}

/// A request that is executed once, however often it is sent.
struct KeyedRequest {
    let key: String
    let user: UserID
    let hash: [UInt8]

    /// - Throws: `WireError.badRequest` if the key is invalid.
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
    /// Runs `body`, which stores its reply under a key, in a transaction.
    ///
    /// Of two concurrent requests with one key, the second fails at its end because the key exists.
    /// It is rolled back and run again, and finds the first one's reply.
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
    /// Requests the reply of an earlier execution, without waiting for it. Send it after the lock
    /// of the changed object, if there is one: then it sees what the previous holder of the lock
    /// stored.
    func sendReplay(of request: KeyedRequest) throws -> Sent {
        try send(
            "SELECT request_hash, reply FROM idempotency_keys WHERE user_id = $1 AND key = $2",
            [.uuid(request.user), .text(request.key)]
        )
    }

    /// Waits for the result of `sendReplay`.
    /// - Returns: the reply of an earlier execution; nil if the request is new.
    /// - Throws: `WireError.conflict` if the key was used for a different request.
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

    /// `sendReplay` and `replay` in one call.
    func replay<Reply: Decodable>(
        of request: KeyedRequest,
        as type: Reply.Type
    ) async throws -> Reply? {
        try await replay(of: request, sendReplay(of: request), as: type)
    }

    /// Stores a request's reply. The commit reports a duplicate key.
    /// - Returns: the reply's JSON.
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
