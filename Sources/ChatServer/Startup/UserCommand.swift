// `stoa user`: commands that work beside a running server and without one.

import ChatProtocol
import ChatStore
import EventLoop
public import Logging
import Postgres

/// Users from the command line.
public enum UserCommand {
    /// Makes a one-time link by which a user's password can be set within a day.
    /// - Parameters:
    ///   - name: whose.
    ///   - settings: which database, and where browsers find the server.
    ///   - logger: where to log.
    /// - Returns: the link.
    /// - Throws: `StartupError` where there is no such user, or the database cannot be used.
    public static func reset(
        name: String,
        settings: ServerSettings,
        logger: Logger
    ) async throws -> String {
        let token = Token.make()
        try await withStore(settings, logger, "no link was made") { store in
            guard let account = try await store.accounts.account(named: name) else {
                throw WireError.noSuchUser
            }
            try await store.credentials.addResetLink(
                tokenHash: token.hash,
                for: account.user.id,
                lifetime: Accounts.linkLifetime,
                by: .terminal
            )
        }
        return "\(origin(settings))/#reset=\(token.text)"
    }

    /// Makes a one-time link by which somebody may make an account within a week.
    /// - Parameters:
    ///   - settings: which database, and where browsers find the server.
    ///   - logger: where to log.
    /// - Returns: the link.
    /// - Throws: `StartupError` where the server takes no invitations, or the database cannot be used.
    public static func invite(
        settings: ServerSettings,
        logger: Logger
    ) async throws -> String {
        guard settings.registration == .invite else {
            throw StartupError(
                .configuration,
                "registration is closed: say --registration invite, here and to the server"
            )
        }
        let token = Token.make()
        try await withStore(settings, logger, "no link was made") { store in
            try await store.credentials.addInvitation(
                tokenHash: token.hash,
                lifetime: Accounts.invitationLifetime,
                by: .terminal
            )
        }
        return "\(origin(settings))/#sign-up=\(token.text)"
    }

    /// Links a user to somebody whom the OpenID provider knows.
    /// - Parameters:
    ///   - name: which user.
    ///   - subject: who, in the provider's words (the claim `sub`).
    ///   - settings: which database, and which provider.
    ///   - logger: where to log.
    /// - Throws: `StartupError` where there is no such user, the settings name no provider, or the
    ///   database cannot be used.
    public static func link(
        name: String,
        subject: String,
        settings: ServerSettings,
        logger: Logger
    ) async throws {
        guard let issuer = settings.openIDIssuer else {
            throw StartupError(.configuration, "there is no provider: name it with --oidc-issuer")
        }
        guard (1...255).contains(subject.utf8.count) else {
            throw StartupError(.badData, "a subject has 1 to 255 bytes")
        }
        try await withStore(settings, logger, "nothing was linked") { store in
            guard let account = try await store.accounts.account(named: name) else {
                throw WireError.noSuchUser
            }
            try await store.credentials.linkOpenID(
                issuer: issuer,
                subject: subject,
                to: account.user.id,
                by: .terminal
            )
        }
    }

    /// Where browsers find the server; empty where its settings do not tell.
    private static func origin(_ settings: ServerSettings) -> String {
        settings.linkOrigin(listeningAt: settings.hostAddress)
    }

    private static func withStore(
        _ settings: ServerSettings,
        _ logger: Logger,
        _ failure: String,
        _ body: @escaping @Sendable (Store) async throws -> Void
    ) async throws {
        let database = try Database(settings)
        defer { database.release() }
        let configuration = database.configuration
        do {
            try await EventLoop.run { loop in
                let pool = PostgresPool(loop: loop, configuration: configuration, logger: logger)
                try await body(Store(pool: pool))
                await pool.close()
            }
        } catch let error as WireError {
            throw StartupError(.badData, error.message)
        } catch {
            throw StartupError(.unavailable, "\(failure): \(error)")
        }
    }

    /// Adds a user.
    /// - Parameters:
    ///   - name: what they sign in with.
    ///   - password: 8 to 1024 bytes.
    ///   - isAdmin: whether they administer the server.
    ///   - settings: which database.
    ///   - logger: where to log.
    /// - Throws: `StartupError` where name or password are not fit, the name is taken, or the
    ///   database cannot be used.
    public static func add(
        name: String,
        password: String,
        isAdmin: Bool,
        settings: ServerSettings,
        logger: Logger
    ) async throws {
        let hash: String
        do {
            _ = try Authenticator.validName(name)
            hash = try PasswordHash.make(try Authenticator.validPassword(password)).description
        } catch {
            throw StartupError(.badData, error.message)
        }
        try await withStore(settings, logger, "the user was not added") { store in
            _ = try await store.accounts.addUser(name: name, passwordHash: hash, isAdmin: isAdmin)
        }
    }
}
