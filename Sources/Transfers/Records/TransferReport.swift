// The result of an import.

/// The result of an import: objects created and found by kind, and what was left out or changed.
public struct TransferReport: Codable, Hashable, Sendable {
    /// Objects created; in a dry run, those that would be.
    public var created = TransferCounts()
    /// Objects that existed already.
    public var found = TransferCounts()
    /// Objects left out.
    public var skipped = Tally()
    /// Objects that differ from the file.
    public var changed = Tally()

    /// An empty report.
    public init() {}

    /// Adds another report to this one.
    public mutating func add(_ other: TransferReport) {
        created.add(other.created)
        found.add(other.found)
        skipped.add(other.skipped)
        changed.add(other.changed)
    }

    /// An object and what was done to it, with the reason.
    public struct Note: Codable, Hashable, Sendable {
        /// The object: "conversation 0197…", "message 4 of …". Never text of a message.
        public var object: String
        /// Why, as a sentence.
        public var reason: String
        /// Why, as a code of `ImportReason`.
        public var code: String

        /// A note.
        public init(object: String, reason: String, code: String) {
            self.object = object
            self.reason = reason
            self.code = code
        }
    }

    /// A count of notes: all are counted, and the first are listed.
    public struct Tally: Codable, Hashable, Sendable {
        private static let notesMax = 100
        private static let reasonsMax = 50
        private static let objectMax = 200

        /// The number of notes.
        public private(set) var count = 0
        /// The number for each sentence; beyond a limit of sentences, further ones count as "other".
        public private(set) var reasons: [String: Int] = [:]
        /// The number for each code of `ImportReason`.
        public private(set) var codes: [String: Int] = [:]
        /// The first notes.
        public private(set) var notes: [Note] = []

        /// No notes.
        public init() {}

        /// Adds a note.
        /// - Parameters:
        ///   - object: the object, without text of messages.
        ///   - reason: why.
        ///   - detail: what the sentence adds to the reason, such as a limit.
        public mutating func note(
            _ object: String,
            _ reason: ImportReason,
            _ detail: String? = nil
        ) {
            let sentence = reason.sentence + (detail.map { ": \($0)" } ?? "")
            count += 1
            tally(sentence, 1)
            codes[reason.rawValue, default: 0] += 1
            if notes.count < Self.notesMax {
                let object = String(object.prefix(Self.objectMax))
                notes.append(Note(object: object, reason: sentence, code: reason.rawValue))
            }
        }

        fileprivate mutating func add(_ other: Tally) {
            count += other.count
            for (reason, count) in other.reasons { tally(reason, count) }
            codes.merge(other.codes, uniquingKeysWith: +)
            notes += other.notes.prefix(Self.notesMax - notes.count)
        }

        private mutating func tally(_ reason: String, _ count: Int) {
            let isKnown = reasons[reason] != nil || reasons.count < Self.reasonsMax
            reasons[isKnown ? reason : "other", default: 0] += count
        }
    }
}
