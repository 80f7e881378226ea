// What an import reads records from: our own format, or a converter of somebody else's.

/// Turns the bytes of a file into records. Holds no more of them than the piece that it is at.
public protocol RecordSource {
    /// Takes the next bytes of the file.
    /// - Parameter bytes: what follows what was taken before.
    mutating func append(_ bytes: [UInt8])
    /// Says that no bytes follow. `next` may still have records.
    mutating func finish()
    /// The next record.
    /// - Returns: nil where more bytes are needed; after `finish`, where there is nothing left.
    /// - Throws: `TransferError` where the file can't be read on. What was read before is good.
    mutating func next() throws(TransferError) -> TransferRecord?
    /// What of the file became no record, or not just as it was.
    var report: TransferReport { get }
}
