// The doc comments of fields in Sources/ChatProtocol, which become descriptions in the
// machine-readable document.

import ChatProtocol
import FoundationEssentials
import TestSupport

/// The doc comments of the protocol's types.
struct SourceWords {
    private var sentences: [String: String] = [:]
    private var eventTypes: [String: String] = [:]
    /// What is said of each operation, by its name.
    private(set) var operations: [String: String] = [:]

    /// Parses the sources.
    init() throws {
        let folder = "\(SharedFiles.packageRoot)/Sources/ChatProtocol"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder).sorted()
        for file in files where file.hasSuffix(".swift") {
            read(try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8))
        }
    }

    /// The comment of a field, by its name on the wire.
    func sentence(of field: String, in type: String) -> String? {
        sentences["\(type).\(field)"]
    }

    /// The type that contains an event's fields.
    func type(of event: ServerEvent.Name) -> String { eventTypes["\(event)"] ?? "" }

    private mutating func read(_ source: String) {
        var type = ""
        var comment: [Substring] = []
        var fields: [String: String] = [:]
        var operation: String?
        for line in source.split(separator: "\n") {
            let line = line.drop { $0 == " " }
            if line.hasPrefix("///") {
                comment.append(line.dropFirst(4))
                continue
            }
            defer { comment = [] }
            let words = line.split { " :({".contains($0) }
            if line.hasPrefix("public struct "), words.count > 2 {
                keep(fields, of: type)
                fields = [:]
                type = String(words[2])
            } else if line.hasPrefix("public static var "),
                line.contains(": Operation<") || line.hasSuffix(":")
            {
                operation = comment.joined(separator: " ")
            } else if let sentence = operation, line.hasPrefix("\"") {
                operations[String(line.split(separator: "\"")[0])] = sentence
                operation = nil
            } else if line.hasPrefix("public var "), words.count > 2, !comment.isEmpty {
                let name = words[2].filter { $0 != "`" }
                fields[name] = comment.joined(separator: " ")
            } else if line.hasPrefix("case "), line.contains(" = \""), words.count > 2 {
                // A coding key: the field's name on the wire.
                let wire = line.split(separator: "\"")[1]
                if let sentence = fields.removeValue(forKey: String(words[1])) {
                    fields[String(wire)] = sentence
                }
            } else if line.hasPrefix("case "), line.hasSuffix(")"), words.count == 3 {
                eventTypes[String(words[1])] = String(words[2].dropLast())
            }
        }
        keep(fields, of: type)
    }

    private mutating func keep(_ fields: [String: String], of type: String) {
        for (name, sentence) in fields { sentences["\(type).\(name)"] = sentence }
    }
}
