// What an import of another system's file says about it, while it is read.

import JSONText

/// Gathers what was left out and changed.
struct ForeignNotes {
    /// What was said so far, but for fields.
    private(set) var report = TransferReport()
    /// What notes are about now.
    var object = ""
    /// Fields that nothing was made of, by where they stand, with how often.
    private var fields: [String: Int] = [:]

    private static let fieldCountMax = 100

    /// Something of `part` is not there, or all of it.
    mutating func skip(_ part: String = "", _ reason: String) {
        report.skipped.note(name(of: part), reason)
    }

    /// Something of `part` is there in another way.
    mutating func change(_ part: String = "", _ reason: String) {
        report.changed.note(name(of: part), reason)
    }

    /// Counts the members that a converter knows nothing of.
    mutating func countUnknown(_ members: JSONObject, known: Set<String>, of part: String) {
        for key in members.keys where !known.contains(key) {
            let field = "\(part) \(quoted(key))"
            guard fields[field] != nil || fields.count < Self.fieldCountMax else {
                fields["further fields", default: 0] += 1
                continue
            }
            fields[field, default: 0] += 1
        }
    }

    /// Adds what was counted to the report. Call it at the end.
    mutating func finish() {
        for (field, count) in fields.sorted(by: { $0.key < $1.key }) {
            report.skipped.note("\(field), \(count) times", "a field that nothing is made of")
        }
        fields = [:]
    }

    /// The message `id`, for notes.
    static func message(_ id: String) -> String { "message \(quoted(id))" }

    private func name(of part: String) -> String {
        part.isEmpty ? object : "\(object), \(part)"
    }
}
