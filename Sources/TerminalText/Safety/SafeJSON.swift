// JSON that a terminal shows as it is: the value is the same, and no character in it is a control
// character.

import ChatProtocol

/// Escapes in JSON what a terminal would interpret.
package enum SafeJSON {
    /// JSON in UTF-8 in which the characters U+007F to U+009F, U+2028, U+2029 and direction
    /// overrides are escaped. JSON itself forbids the characters below U+0020 in strings (RFC 8259,
    /// section 7). Complexity: linear.
    /// - Parameter json: valid JSON in UTF-8.
    /// - Returns: JSON of the same value.
    package static func escaped(_ json: [UInt8]) -> [UInt8] {
        let json = DirectionMarks.escaped(inJSON: json)
        guard json.contains(where: { $0 == 0x7F || $0 == 0xC2 || $0 == 0xE2 }) else { return json }
        var escaped: [UInt8] = []
        escaped.reserveCapacity(json.count)
        var index = 0
        while index < json.count {
            let byte = json[index]
            let next = index + 1 < json.count ? json[index + 1] : 0
            if byte == 0x7F {
                escaped += #"\u007f"#.utf8
            } else if byte == 0xC2, (0x80...0x9F).contains(next) {
                escaped += "\\u00\(String(next, radix: 16))".utf8
                index += 1
            } else if byte == 0xE2, next == 0x80, index + 2 < json.count,
                (0xA8...0xA9).contains(json[index + 2])
            {
                escaped += "\\u20\(String(json[index + 2] - 0x80, radix: 16))".utf8
                index += 2
            } else {
                escaped.append(byte)
            }
            index += 1
        }
        return escaped
    }
}
