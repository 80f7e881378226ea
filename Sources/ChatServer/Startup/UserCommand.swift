// `stoa user`: commands that work whether a server is running or not.

import ChatProtocol
import ChatStore
import EventLoop
public import Logging
import Postgres

/// Manages users from the command line.
public enum UserCommand {
    /// Creates a one-time link that sets a user's password, valid for a day.
    /// - Parameters:
    ///   - name: the user name.
    ///   - settings: the database, and the server's URL for browsers.
    ///   - logger: the logger.
    /// - Returns: the link.
    /// - Throws: `StartupError` if there is no such user, or the database cannot be used.
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

    /// Creates a one-time link for signing up, valid for a week.
    /// - Parameters:
    ///   - settings: the database, and the server's URL for browsers.
    ///   - logger: the logger.
    /// - Returns: the link.
    /// - Throws: `StartupError` if the server accepts no invitations, or the database cannot be
    ///   used.
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

    /// Links a user to an identity of the OpenID provider.
    /// - Parameters:
    ///   - name: the user name.
    ///   - subject: the provider's identifier of the user (the claim `sub`).
    ///   - settings: the database, and the provider.
    ///   - logger: the logger.
    /// - Throws: `StartupError` if there is no such user, the settings name no provider, or the
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

    /// The server's URL for browsers; empty if its settings do not say.
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
    ///   - name: the user name.
    ///   - password: 8 to 1024 characters.
    ///   - isAdmin: whether they are an administrator of the server.
    ///   - settings: the database.
    ///   - logger: the logger.
    /// - Throws: `StartupError` if name or password are invalid, the name is taken, or the database
    ///   cannot be used.
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
