// The first and the last line of a transfer.

public import ChatProtocol

/// The first line of a transfer.
public struct TransferHeader: Codable, Hashable, Sendable {
    /// The name of Stoa's format.
    public static let stoaFormat = "stoa"
    /// The version that this code writes; it also reads older ones. Version 3 lacks folders and
    /// tags. Version 2 also lacks pins, seeds and stop strings. Version 1 also lacks prompt libraries, archive and unread marks, mentions, and
    /// whether a conversation is open to its team.
    public static let currentVersion = 4

    /// Always `stoaFormat`.
    public var format: String
    /// From 1 to `currentVersion`.
    public var version: Int
    /// When the export began.
    public var exportedAt: Timestamp
    /// The server's database, or the other system, that it comes from.
    public var server: String
    /// The exported scope.
    public var scope: TransferScope
    /// The cursor at which the export resumed; nil if it started at the beginning.
    public var after: String?
    /// The number of conversations when the export began, for progress; nil if unknown.
    public var conversations: Int?

    /// A header of the current version.
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

/// The last line: lets a reader verify that nothing is missing or changed.
public struct TransferEnd: Codable, Hashable, Sendable {
    /// The number of lines before this one.
    public var lines: Int
    /// The number of records by kind; kinds without records are left out.
    public var counts: TransferCounts
    /// SHA-256 of all bytes before this line, in hexadecimal digits.
    public var sha256: String
    /// The same without the first line, so it does not depend on when and where the export was
    /// made.
    public var contentSHA256: String

    /// A transfer's last line.
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

/// The number of records by kind.
public struct TransferCounts: Hashable, Sendable {
    private var counts: [TransferRecord.Kind: Int] = [:]

    /// All zero.
    public init() {}

    /// The number of records of `kind`.
    public subscript(kind: TransferRecord.Kind) -> Int {
        get { counts[kind, default: 0] }
        set { counts[kind] = newValue == 0 ? nil : newValue }
    }

    /// Adds other counts.
    public mutating func add(_ other: TransferCounts) {
        counts.merge(other.counts, uniquingKeysWith: +)
    }
}

extension TransferCounts: Codable {
    /// Reads an object of numbers by kind; kinds unknown to this version are ignored.
    /// - Throws: `DecodingError` if it is something else.
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
