// A file on its way into the database: bytes, records, rows, and what came of it.

package import ChatStore
package import Transfers

/// Reads one file into the database. Whole conversations up to where it ends early are imported, and no
/// part of another.
package struct ImportRun {
    /// What came of an import.
    package struct Result: Sendable {
        /// What was done.
        package var report: TransferReport
        /// Why it ended early; what was done up to then stays.
        package var failure: TransferError?
    }

    private let load: TransferImport

    /// - Parameter load: where its records go.
    package init(into load: TransferImport) {
        self.load = load
    }

    /// Imports a file in our format.
    /// - Parameter next: gives its next bytes; nil at its end.
    /// - Returns: what came of it.
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

    /// Imports what was made of another system's file.
    /// - Parameter next: gives the next records; nil where there are no more.
    /// - Returns: what came of it.
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
