// The first and the last line of a transfer.

public import ChatProtocol

/// The first line: what follows.
public struct TransferHeader: Codable, Hashable, Sendable {
    /// What our format is called.
    public static let stoaFormat = "stoa"
    /// The version that this code writes; it reads those before it too. Version 1 has no libraries of
    /// prompts, no archive marks, no unread marks, no mentions, and does not say which conversations are
    /// open to their team.
    public static let currentVersion = 2

    /// Always `stoaFormat`.
    public var format: String
    /// From 1 to `currentVersion`.
    public var version: Int
    /// When the export began.
    public var exportedAt: Timestamp
    /// Which server's database, or which other system, it comes from.
    public var server: String
    /// What it is of.
    public var scope: TransferScope
    /// The cursor that the export went on from; nil where it began at the beginning.
    public var after: String?
    /// How many conversations there were when the export began, for progress; nil where unknown.
    public var conversations: Int?

    /// Puts a header of the current version together.
    public init(
        exportedAt: Timestamp,
        server: String,
        scope: TransferScope,
        after: String? = nil,
        conversations: Int? = nil
    ) {
        format = Self.stoaFormat
        version = Self.currentVersion
        self.exportedAt = exportedAt
        self.server = server
        self.scope = scope
        self.after = after
        self.conversations = conversations
    }

    enum CodingKeys: String, CodingKey {
        case format, version, server, scope, after, conversations
        case exportedAt = "exported_at"
    }
}

/// The last line: by it a reader knows that nothing is missing or changed.
public struct TransferEnd: Codable, Hashable, Sendable {
    /// How many lines come before this one.
    public var lines: Int
    /// How many there are of each kind; kinds of which there is none are left out.
    public var counts: TransferCounts
    /// SHA-256 of all bytes before this line, in hexadecimal digits.
    public var sha256: String
    /// The same without the first line: it does not depend on when and where the export was made.
    public var contentSHA256: String

    /// Puts an end together.
    public init(lines: Int, counts: TransferCounts, sha256: String, contentSHA256: String) {
        self.lines = lines
        self.counts = counts
        self.sha256 = sha256
        self.contentSHA256 = contentSHA256
    }

    enum CodingKeys: String, CodingKey {
        case lines, counts, sha256
        case contentSHA256 = "content_sha256"
    }
}

/// How many records there are of each kind.
public struct TransferCounts: Hashable, Sendable {
    private var counts: [TransferRecord.Kind: Int] = [:]

    /// None of any kind.
    public init() {}

    /// How many of `kind`.
    public subscript(kind: TransferRecord.Kind) -> Int {
        get { counts[kind, default: 0] }
        set { counts[kind] = newValue == 0 ? nil : newValue }
    }

    /// Adds other counts to these.
    public mutating func add(_ other: TransferCounts) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }
}

extension TransferCounts: Codable {
    /// Reads an object of numbers by kind; kinds that this version lacks are passed over.
    /// - Throws: `DecodingError` where it is something else.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: TransferRecord.Kind.self)
        for kind in container.allKeys {
            self[kind] = try container.decode(Int.self, forKey: kind)
        }
    }

    /// Writes the kinds in the order of their declaration.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: TransferRecord.Kind.self)
        for kind in TransferRecord.Kind.allCases where self[kind] > 0 {
            try container.encode(self[kind], forKey: kind)
        }
    }
}
