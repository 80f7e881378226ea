// A file on its way into the database: bytes, records, rows, and what came of it.

package import ChatStore
package import Transfers

/// Reads one file into the database.
package struct ImportRun {
    /// What came of an import.
    package struct Result: Sendable {
        /// What was done.
        package var report: TransferReport
        /// Why it ended early; what was done up to then stays.
        package var failure: TransferError?
    }

    private let load: TransferImport
    private var source: any RecordSource

    /// - Parameters:
    ///   - source: what the file is read by.
    ///   - load: where its records go.
    package init(_ source: any RecordSource, into load: TransferImport) {
        self.source = source
        self.load = load
    }

    /// Imports what `next` gives, up to its end.
    /// - Throws: what `next` throws, and `PostgresError`. Whole conversations up to then are imported,
    ///   and no part of another.
    package mutating func run(
        _ next: () async throws -> [UInt8]?
    ) async throws -> Result {
        do {
            while let bytes = try await next() {
                source.append(bytes)
                try await loadRecords()
            }
            source.finish()
            try await loadRecords()
            try await load.finish()
            return Result(report: report, failure: nil)
        } catch let error as TransferError {
            await load.abandon()
            return Result(report: report, failure: error)
        } catch {
            await load.abandon()
            throw error
        }
    }

    private mutating func loadRecords() async throws {
        while let record = try source.next() { try await load.load(record) }
    }

    private var report: TransferReport {
        var report = load.report
        report.add(source.report)
        return report
    }
}
