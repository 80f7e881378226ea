// `stoa export --database` and `stoa import --database`: whether a server is running or not, for
// users with access to the database.

import ChatProtocol
import ChatStore
import EventLoop
package import Logging
import Postgres
package import Transfers

/// Exports and imports from the command line.
package enum TransferCommand {
    /// Exports from the database.
    /// - Parameters:
    ///   - scope: what to export.
    ///   - format: the format.
    ///   - settings: the database.
    ///   - logger: the logger.
    ///   - take: receives the bytes, piece by piece.
    /// - Throws: `StartupError`, and what `take` throws.
    package static func export(
        _ scope: TransferScope,
        as format: TransferFormat,
        settings: ServerSettings,
        logger: Logger,
        _ take: @escaping @Sendable ([UInt8]) throws -> Void
    ) async throws {
        try await withStore(settings, logger) { store in
            let export = TransferExport(of: scope, from: store.transfers, for: .terminal)
            let stream = ExportStream(export, as: format, for: nil)
            while let bytes = try await stream.next() { try take(bytes) }
        }
    }

    /// Imports a file in our format.
    /// - Parameters:
    ///   - user: the name of the account to import into; nil to restore everything with its owners.
    ///   - isDryRun: whether only to report.
    ///   - settings: the database.
    ///   - logger: the logger.
    ///   - next: returns the next bytes of the file; nil at its end.
    /// - Returns: the result.
    /// - Throws: `StartupError`, and what `next` throws.
    package static func load(
        intoAccountOf user: String?,
        isDryRun: Bool,
        settings: ServerSettings,
        logger: Logger,
        _ next: @escaping @Sendable () throws -> [UInt8]?
    ) async throws -> ImportRun.Result {
        try await withStore(settings, logger) { store in
            var owner = ImportOwner.everything(.terminal)
            if let user {
                guard let account = try await store.accounts.account(named: user) else {
                    throw WireError(.notFound, "there is no user of that name")
                }
                owner = .user(account.user)
            }
            var limits = ImportLimits()
            limits.conversations = settings.importConversations
            let load = TransferImport(
                into: store.transfers,
                as: owner,
                isDryRun: isDryRun,
                limits: limits,
                defaultModel: settings.modelNames.first ?? ""
            )
            return try await ImportRun(into: load).run(bytes: { try next() })
        }
    }

    private static func withStore<Value: Sendable>(
        _ settings: ServerSettings,
        _ logger: Logger,
        _ body: @escaping @Sendable (Store) async throws -> Value
    ) async throws -> Value {
        let database = try Database(settings)
        defer { database.release() }
        let configuration = database.configuration
        do {
            return try await EventLoop.run { loop in
                let pool = PostgresPool(loop: loop, configuration: configuration, logger: logger)
                do {
                    let value = try await body(Store(pool: pool))
                    await pool.close()
                    return value
                } catch {
                    await pool.close()
                    throw error
                }
            }
        } catch let error as WireError {
            throw StartupError(.badData, error.message)
        } catch let error as PostgresError {
            throw StartupError(.unavailable, "the database cannot be used: \(error)")
        }
    }
}
