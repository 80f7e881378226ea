// Imports of other systems' files: each is taken onto the disk, read to its end on a thread beside the
// loop, and read again into the database once it is known to be whole.

import ChatProtocol
import ChatStore
package import EventLoop
import Transfers

/// Other systems' files on their way into the database. Lives on one loop.
package final class ForeignImports {
    /// How many such files lie on the disk at the same time.
    private static let filesMax = 4

    /// One thread: of all files together one conversation at a time is taken apart, which is what takes
    /// memory.
    private let worker: WorkerPool
    /// Whose files are on their way.
    private var importers: Set<UserID> = []

    /// - Throws: where the system has no more threads.
    package init() throws(SystemError) {
        worker = try WorkerPool(name: "imports", threads: 1, queueLimit: Self.filesMax)
    }

    /// Imports a file. Of one that cannot be read to its end nothing is imported.
    /// - Parameters:
    ///   - user: whose it is; one file of each at a time.
    ///   - load: where its records go.
    ///   - conversationsMax: the most conversations that it may have.
    ///   - requireSignIn: is asked between the pieces of what takes long, and throws where it has ended.
    ///   - next: gives its next bytes; nil at its end.
    /// - Returns: what came of it.
    /// - Throws: `WireError.busy` where there is no room for it; what `next` and `requireSignIn` throw;
    ///   `PostgresError`.
    func run(
        for user: UserID,
        into load: TransferImport,
        conversationsMax: Int,
        requireSignIn: () async throws -> Void,
        _ next: () async throws -> [UInt8]?
    ) async throws -> ImportRun.Result {
        guard importers.count < Self.filesMax, importers.insert(user).inserted else {
            throw WireError(.busy, "another file is being imported; try again", retryAfter: 10)
        }
        defer { importers.remove(user) }
        let file = try await worker.run { try SpooledFile() }
        while let bytes = try await next() {
            try await worker.run { try file.append(bytes) }
        }
        let limits = ForeignLimits(conversationCountMax: conversationsMax)
        do {
            let check = ForeignReading(file, limits)
            while try await records(of: check) != nil { try await requireSignIn() }
        } catch let error as TransferError {
            return ImportRun.Result(report: TransferReport(), failure: error)
        }
        let reading = ForeignReading(file, limits)
        var result = try await ImportRun(into: load).run(records: {
            try await requireSignIn()
            return try await records(of: reading)
        })
        result.report.add(reading.report)
        return result
    }

    /// Reads on, on the worker's thread; not for long where the server is shutting down.
    private func records(of reading: ForeignReading) async throws -> [TransferRecord]? {
        try await withTaskCancellationHandler { [worker] in
            try await worker.run { try reading.next() }
        } onCancel: {
            reading.giveUp()
        }
    }
}

/// How far a file is read, on the worker's thread.
// Safety: the loop waits for each piece of work before it gives out the next or looks at the report.
private final class ForeignReading: @unchecked Sendable {
    /// How many records, and bytes of text, are read in one go.
    private static let batch = (records: 250, bytes: 1 << 20)

    private let file: SpooledFile
    private let limits: ForeignLimits
    private var records: ForeignRecords?

    init(_ file: SpooledFile, _ limits: ForeignLimits) {
        self.file = file
        self.limits = limits
    }

    /// What of the file became no record, or not just as it was.
    var report: TransferReport { records?.report ?? TransferReport() }

    /// Ends the reading at the next bytes. On any thread.
    func giveUp() { file.giveUp() }

    /// The next records; nil at the end.
    func next() throws -> [TransferRecord]? {
        if records == nil {
            records = try ForeignRecords(
                file,
                name: "the file",
                importer: .forLoader(),
                limits: limits
            )
        }
        var batch: [TransferRecord] = []
        var byteCount = 0
        while batch.count < Self.batch.records, byteCount < Self.batch.bytes,
            let record = try records?.next()
        {
            if case .message(let message) = record { byteCount += message.text.utf8.count }
            batch.append(record)
        }
        return batch.isEmpty ? nil : batch
    }
}
