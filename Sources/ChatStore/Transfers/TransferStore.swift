// What exports and imports need of the tables before, between and after their records.

import ChatProtocol
import Postgres
public import Transfers

/// Exports and imports. `TransferExport` reads records from it, `TransferImport` writes them to it.
public struct TransferStore {
    let pool: StorePool

    /// Refuses an export that is not the reader's to make.
    /// - Parameters:
    ///   - scope: what is to be exported.
    ///   - reader: for whom.
    /// - Throws: `WireError` where they may not, or see no such thing.
    public func requireExport(of scope: TransferScope, by reader: ExportReader) async throws {
        try await pool.transaction { transaction in
            try await transaction.requireExport(of: scope, by: reader)
        }
    }

    /// Writes down that an import was made.
    func audit(_ created: TransferCounts, to object: String, by actor: Actor) async throws {
        try await pool.transaction { transaction in
            try transaction.audit(
                "transfer.imported",
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

    /// SQL for a time that a parameter or column gives in milliseconds since 1970.
    static func time(_ milliseconds: String) -> String {
        "(timestamptz 'epoch' + \(milliseconds)::bigint * interval '1 millisecond')"
    }
}
