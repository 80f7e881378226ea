// Identities at an OpenID provider, and sign-ins in progress.

public import ChatProtocol
import Postgres

/// A sign-in in progress.
public struct OpenIDRequest: Sendable {
    /// The nonce that the token must contain.
    public let nonce: String
    /// The PKCE code verifier.
    public let verifier: String
}

extension CredentialStore {
    /// Stores the state of a sign-in with the provider, for any node to continue.
    /// - Throws: `WireError.busy` if ten thousand are in progress.
    public func addOpenIDRequest(
        stateHash: [UInt8],
        nonce: String,
        verifier: String,
        lifetime: Duration
    ) async throws {
        let added = try await pool.query(
            """
            INSERT INTO openid_requests (state_hash, nonce, verifier, expires_at)
            SELECT $1, $2, $3, now() + $4 * interval '1 second'
            WHERE (SELECT count(*) FROM openid_requests WHERE expires_at > now()) < 10000
            """,
            [.bytes(stateHash), .text(nonce), .text(verifier), .double(lifetime.seconds)]
        )
        guard added.affectedRowCount == 1 else {
            throw WireError(.busy, "too many people are signing in; try again", retryAfter: 60)
        }
    }

    /// Removes and returns the state of a sign-in; nil if it is unknown or expired.
    public func takeOpenIDRequest(stateHash: [UInt8]) async throws -> OpenIDRequest? {
        let rows = try await pool.query(
            """
            DELETE FROM openid_requests WHERE state_hash = $1 OR expires_at < now()
            RETURNING nonce, verifier, state_hash = $1 AND expires_at > now() AS is_valid
            """,
            [.bytes(stateHash)]
        )
        for row in rows {
            guard try row.decode("is_valid", as: Bool.self) else { continue }
            return OpenIDRequest(
                nonce: try row.decode("nonce", as: String.self),
                verifier: try row.decode("verifier", as: String.self)
            )
        }
        return nil
    }

    /// The account of an identity at the provider. Accounts are never matched by name: the same
    /// name may be another person.
    /// - Parameters:
    ///   - issuer: the provider.
    ///   - subject: the provider's identifier of the user.
    ///   - newName: the name for a new account; nil to create none.
    /// - Returns: the user.
    /// - Throws: `WireError.forbidden` if there is no account, and none can be created.
    public func user(
        ofIssuer issuer: String,
        subject: String,
        newName: String?
    ) async throws -> User {
        let id = UserID.make()
        return try await pool.transaction { transaction in
            let known = try await transaction.query(
                """
                SELECT u.id, u.name, u.is_admin, u.disabled_at IS NULL AS is_enabled
                FROM openid_identities i JOIN users u ON u.id = i.user_id
                WHERE i.issuer = $1 AND i.subject = $2
                """,
                [.text(issuer), .text(subject)]
            )
            if let row = known.first {
                guard try row.decode("is_enabled", as: Bool.self) else { throw WireError.noAccount }
                return User(
                    id: try row.id("id", of: User.self),
                    name: try row.decode("name", as: String.self),
                    isAdmin: try row.decode("is_admin", as: Bool.self)
                )
            }
            guard let newName else { throw WireError.noAccount }
            let added = try await transaction.query(
                """
                INSERT INTO users (id, name, password_hash) VALUES ($1, $2, 'none')
                ON CONFLICT DO NOTHING
                """,
                [.uuid(id), .text(newName)]
            )
            guard added.affectedRowCount == 1 else {
                throw WireError(
                    .forbidden,
                    "the name \(newName) is taken: an administrator can link that account to yours"
                )
            }
            try transaction.link(issuer, subject, to: id)
            let user = User(id: id, name: newName, isAdmin: false)
            try transaction.audit(.userSignedUp, by: Actor(user), object: "\(id)")
            return user
        }
    }

    /// Links an account to an identity at the provider; this replaces another link of the identity.
    /// - Throws: `WireError.notFound` if there is no such user.
    public func linkOpenID(
        issuer: String,
        subject: String,
        to user: UserID,
        by actor: Actor
    ) async throws {
        try await pool.transaction { transaction in
            let name = try await transaction.lockUser(user)
            try transaction.link(issuer, subject, to: user)
            try transaction.audit(
                .userLinked,
                by: actor,
                object: "\(user)",
                detail: ["name": name, "issuer": issuer]
            )
        }
    }
}

extension WireError {
    fileprivate static let noAccount = WireError(.forbidden, "there is no account for you here")
}

extension StoreTransaction {
    fileprivate func link(_ issuer: String, _ subject: String, to user: UserID) throws {
        try send(
            """
            INSERT INTO openid_identities (issuer, subject, user_id) VALUES ($1, $2, $3)
            ON CONFLICT (issuer, subject) DO UPDATE SET user_id = excluded.user_id
            """,
            [.text(issuer), .text(subject), .uuid(user)]
        )
    }
}
