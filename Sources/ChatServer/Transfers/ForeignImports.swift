// Imports of other systems' files: each is spooled to disk, read completely on another thread, and
// then read again into the database, once it is known to be valid.

import ChatProtocol
import ChatStore
package import EventLoop
import Transfers

/// Imports files of other systems. Lives on one loop.
package final class ForeignImports {
    /// Maximum files on disk at the same time.
    private static let filesMax = 4

    /// One thread: parsing takes memory, so only one conversation of all files is parsed at a time.
    private let worker: WorkerPool
    /// Users with an import in progress.
    private var importers: Set<UserID> = []

    /// - Throws: if the system cannot create the thread.
    package init() throws(SystemError) {
        worker = try WorkerPool(name: "imports", threads: 1, queueLimit: Self.filesMax)
    }

    /// Imports a file. If it cannot be read completely, nothing is imported.
    /// - Parameters:
    ///   - user: the importing user; one file per user at a time.
    ///   - load: receives the records.
    ///   - conversationsMax: maximum conversations in it.
    ///   - requireSignIn: called between pieces of long work; throws if the sign-in has ended.
    ///   - next: returns the next bytes; nil at the end.
    /// - Returns: the result.
    /// - Throws: `WireError.busy` if there are too many imports; what `next` and `requireSignIn`
    ///   throw; `PostgresError`.
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

    /// Reads more records on the worker's thread; stops soon when the server shuts down.
    private func records(of reading: ForeignReading) async throws -> [TransferRecord]? {
        try await withTaskCancellationHandler { [worker] in
            try await worker.run { try reading.next() }
        } onCancel: {
            reading.giveUp()
        }
    }
}

/// The state of reading a file, on the worker's thread.
// Safety: the loop waits for each piece of work before it starts the next or reads the report.
private final class ForeignReading: @unchecked Sendable {
    /// Records, and bytes of text, per batch.
    private static let batch = (records: 250, bytes: 1 << 20)

    private let file: SpooledFile
    private let limits: ForeignLimits
    private var records: ForeignRecords?

    init(_ file: SpooledFile, _ limits: ForeignLimits) {
        self.file = file
        self.limits = limits
    }

    /// What could not be converted exactly.
    var report: TransferReport { records?.report ?? TransferReport() }

    /// Makes the reading fail at the next bytes. Callable from any thread.
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
