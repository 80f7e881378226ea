public import JSONText

/// Why a transfer can't be read further.
public enum TransferError: Error, Hashable, Sendable {
    /// The file is of a kind that this version does not read.
    case unknownFormat(String)
    /// It was written by a later version of Stoa: update this one.
    case unknownVersion(Int)
    /// A line, counted from 1, is invalid; for other systems' files, an entry.
    case malformed(line: Int, String)
    /// Something exceeds a limit on size, depth or count: raise the limit, or split the file.
    case limitExceeded(String)
    /// The end is missing; what came before is complete. Fetch or read the file again.
    case incomplete
    /// A ZIP archive is damaged, too large or malicious; the error says which.
    case archive(ArchiveError)
    /// A JSON file of another system is truncated or malformed; the error says where.
    case json(file: String, JSONError)
    /// The file's bytes cannot be read: check the disk, and try again.
    case unreadable(String)
    /// The checksum does not match: fetch the file again.
    case damaged
}

extension TransferError: CustomStringConvertible {
    /// A sentence for the user, without text of messages.
    public var description: String {
        switch self {
        case .unknownFormat(let what):
            "unsupported file: \(what)"
        case .unknownVersion(let version):
            "the file is of version \(version), this server reads those up to "
                + "\(TransferHeader.currentVersion): update it"
        case .malformed(let line, let what): "line \(line) \(what)"
        case .limitExceeded(let what): "\(what); split the file, or raise the limit"
        case .archive(let error): error.description
        case .json(let file, let error): "\(quoted(file)): \(error)"
        case .unreadable(let what): "the file cannot be read: \(what)"
        case .incomplete: "the file ends before its last line: fetch it again"
        case .damaged: "the file is damaged, its checksum or counts do not match: fetch it again"
        }
    }
}
