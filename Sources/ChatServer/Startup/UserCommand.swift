// `stoa user add` and `stoa migrate`: commands that work beside a running server and without one.

import ChatProtocol
import ChatStore
import EventLoop
public import Logging
import Postgres

/// Adding users from the command line.
public enum UserCommand {
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
        let database = try Database(settings)
        defer { database.release() }
        let configuration = database.configuration
        do {
            try await EventLoop.run { loop in
                let pool = PostgresPool(loop: loop, configuration: configuration, logger: logger)
                _ = try await Store(pool: pool).addUser(
                    name: name,
                    passwordHash: hash,
                    isAdmin: isAdmin
                )
                await pool.close()
            }
        } catch let error as WireError {
            throw StartupError(.badData, error.message)
        } catch {
            throw StartupError(.unavailable, "the user was not added: \(error)")
        }
    }
}
