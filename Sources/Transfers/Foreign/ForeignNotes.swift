// Collects notes while another system's file is imported.

import JSONText

/// Collects what was left out and changed.
struct ForeignNotes {
    /// The notes so far, without unknown fields.
    private(set) var report = TransferReport()
    /// What the next notes are about.
    var object = ""
    /// Fields that were ignored, by location, with their counts.
    private var fields: [String: Int] = [:]

    private static let fieldCountMax = 100

    /// Notes that something of `part`, or all of it, was left out.
    mutating func skip(_ part: String = "", _ reason: ImportReason, _ detail: String? = nil) {
        report.skipped.note(name(of: part), reason, detail)
    }

    /// Notes that something of `part` was changed.
    mutating func change(_ part: String = "", _ reason: ImportReason) {
        report.changed.note(name(of: part), reason)
    }

    /// Counts the members that a converter does not know.
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

    /// Adds the counts to the report. Call it at the end.
    mutating func finish() {
        for (field, count) in fields.sorted(by: { $0.key < $1.key }) {
            report.skipped.note("\(field), \(count) times", .unknownField)
        }
        fields = [:]
    }

    /// How notes name the message `id`.
    static func message(_ id: String) -> String { "message \(quoted(id))" }

    private func name(of part: String) -> String {
        part.isEmpty ? object : "\(object), \(part)"
    }
}
