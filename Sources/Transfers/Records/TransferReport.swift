// What an import did, and what it did not.

/// What an import did: of each kind how many it made and found, and what it left out or altered.
public struct TransferReport: Codable, Hashable, Sendable {
    /// What was made; in a dry run, what would be.
    public var created = TransferCounts()
    /// What was there already.
    public var found = TransferCounts()
    /// What was left out.
    public var skipped = Tally()
    /// What is there otherwise than the file has it.
    public var changed = Tally()

    /// Nothing done yet.
    public init() {}

    /// Adds another report to this one.
    public mutating func add(_ other: TransferReport) {
        created.add(other.created)
        found.add(other.found)
        skipped.add(other.skipped)
        changed.add(other.changed)
    }

    /// What something was, and why it was treated so.
    public struct Note: Codable, Hashable, Sendable {
        /// What it was about: "conversation 0197…", "message 4 of …". Never text of a message.
        public var object: String
        /// Why.
        public var reason: String

        /// Puts a note together.
        public init(object: String, reason: String) {
            self.object = object
            self.reason = reason
        }
    }

    /// Things that something is to be said about: all are counted, and the first are named.
    public struct Tally: Codable, Hashable, Sendable {
        private static let notesMax = 100
        private static let reasonsMax = 50
        private static let objectMax = 200

        /// How many.
        public private(set) var count = 0
        /// How many for each reason; of very many reasons the later ones count as "other".
        public private(set) var reasons: [String: Int] = [:]
        /// The first of them.
        public private(set) var notes: [Note] = []

        /// None yet.
        public init() {}

        /// Adds one.
        /// - Parameters:
        ///   - object: what it is about, without text of messages.
        ///   - reason: one of a few fixed sentences.
        public mutating func note(_ object: String, _ reason: String) {
            count += 1
            tally(reason, 1)
            if notes.count < Self.notesMax {
                notes.append(Note(object: String(object.prefix(Self.objectMax)), reason: reason))
            }
        }

        fileprivate mutating func add(_ other: Tally) {
            count += other.count
            for (reason, count) in other.reasons { tally(reason, count) }
            notes += other.notes.prefix(Self.notesMax - notes.count)
        }

        private mutating func tally(_ reason: String, _ count: Int) {
            let isKnown = reasons[reason] != nil || reasons.count < Self.reasonsMax
            reasons[isKnown ? reason : "other", default: 0] += count
        }
    }
}
