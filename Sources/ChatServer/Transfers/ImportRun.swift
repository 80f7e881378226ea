// Imports a file into the database: bytes to records, records to rows, and a report.

package import ChatStore
package import Transfers

/// Imports one file. If it ends early, complete conversations before that point are imported, and
/// no parts of others.
package struct ImportRun {
    /// The result of an import.
    package struct Result: Sendable {
        /// What was imported.
        package var report: TransferReport
        /// Why it ended early; what was imported before stays.
        package var failure: TransferError?
    }

    private let load: TransferImport

    /// - Parameter load: receives the records.
    package init(into load: TransferImport) {
        self.load = load
    }

    /// Imports a file in our format.
    /// - Parameter next: returns the next bytes; nil at the end.
    /// - Returns: the result.
    /// - Throws: what `next` throws, and `PostgresError`.
    package func run(bytes next: () async throws -> [UInt8]?) async throws -> Result {
        var reader = RecordReader()
        return try await ending {
            while let bytes = try await next() {
                reader.append(bytes)
                while let record = try reader.next() { try await load.load(record) }
            }
            reader.finish()
            while let record = try reader.next() { try await load.load(record) }
        }
    }

    /// Imports records converted from another system's file.
    /// - Parameter next: returns the next records; nil at the end.
    /// - Returns: the result.
    /// - Throws: what `next` throws, and `PostgresError`.
    package func run(records next: () async throws -> [TransferRecord]?) async throws -> Result {
        try await ending {
            while let records = try await next() {
                for record in records { try await load.load(record) }
            }
        }
    }

    private func ending(_ body: () async throws -> Void) async throws -> Result {
        do {
            try await body()
            try await load.finish()
            return Result(report: load.report, failure: nil)
        } catch let error as TransferError {
            await load.abandon()
            return Result(report: load.report, failure: error)
        } catch {
            await load.abandon()
            throw error
        }
    }
}
