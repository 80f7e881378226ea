// Values for scripts, on standard output.

import ChatProtocol
import FoundationEssentials

enum JSONOutput {
    /// Prints `value` as JSON for people and programs: keys in order, one a line.
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.keyEncodingStrategy = .convertToSnakeCase
        // Names and titles of others do nothing to a terminal, and stay what they are for a program.
        let json = DirectionMarks.escaped(inJSON: [UInt8](try encoder.encode(value)))
        StandardStreams.print(String(decoding: json, as: UTF8.self))
    }
}
