// Values for scripts, on standard output.

import FoundationEssentials

enum JSONOutput {
    /// Prints `value` as JSON for people and programs: keys in order, one a line.
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        StandardStreams.print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
