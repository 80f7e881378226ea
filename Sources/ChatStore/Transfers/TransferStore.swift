// Common functions of exports and imports.

import ChatProtocol
import Postgres
public import Transfers

/// Exports and imports. `TransferExport` reads records from it, `TransferImport` writes them to it.
public struct TransferStore {
    let pool: StorePool

    /// Throws if the reader may not make this export.
    /// - Parameters:
    ///   - scope: what to export.
    ///   - reader: the reader.
    /// - Throws: `WireError` if they may not, or cannot see the scope.
    public func requireExport(of scope: TransferScope, by reader: ExportReader) async throws {
        try await pool.transaction { transaction in
            try await transaction.requireExport(of: scope, by: reader)
        }
    }

    /// Adds an audit entry for an import.
    func audit(_ created: TransferCounts, to object: String, by actor: Actor) async throws {
        try await pool.transaction { transaction in
            try transaction.audit(
                .transferImported,
                by: actor,
                object: object,
                detail: [
                    "conversations": "\(created[.conversation])",
                    "messages": "\(created[.message])",
                    "users": "\(created[.user])",
                    "prompts": "\(created[.prompt])",
                ]
            )
        }
    }

    /// SQL for a time given in milliseconds since 1970, by a parameter or column.
    static func time(_ milliseconds: String) -> String {
        "(timestamptz 'epoch' + \(milliseconds)::bigint * interval '1 millisecond')"
    }
}
