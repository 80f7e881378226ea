// JSON on standard output.

import ChatProtocol
import FoundationEssentials

enum JSONOutput {
    /// Prints `value` as indented JSON with sorted keys.
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // Escapes direction overrides in names and titles, which a parser decodes again.
        let json = DirectionMarks.escaped(inJSON: [UInt8](try encoder.encode(value)))
        StandardStreams.print(String(decoding: json, as: UTF8.self))
    }
}
