// JSON on standard output.

import FoundationEssentials
import TerminalText

enum JSONOutput {
    /// Prints `value` as indented JSON with sorted keys.
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        StandardStreams.print(json: [UInt8](try encoder.encode(value)))
    }
}
