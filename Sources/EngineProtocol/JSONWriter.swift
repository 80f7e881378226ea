// Writes the JSON of requests: objects with a few members, and arrays of up to a hundred thousand
// token ids, which are written straight into the bytes.

/// Writes one JSON object.
struct JSONWriter {
    private(set) var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// The bytes of the whole object.
    consuming func finish() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    mutating func member(_ name: String, _ value: String) {
        key(name)
        string(value)
    }

    mutating func member(_ name: String, _ value: Int) { member(name, literal: "\(value)") }

    mutating func member(_ name: String, _ value: UInt64) { member(name, literal: "\(value)") }

    mutating func member(_ name: String, _ value: Bool) { member(name, literal: "\(value)") }

    /// Writes a number, which must be finite.
    mutating func member(_ name: String, _ value: Double) { member(name, literal: "\(value)") }

    mutating func member(_ name: String, _ values: [Int32]) {
        key(name)
        array(values) { writer, value in writer.bytes += "\(value)".utf8 }
    }

    mutating func member(_ name: String, _ values: [String]) {
        key(name)
        array(values) { writer, value in writer.string(value) }
    }

    /// Writes an array of objects.
    mutating func member<Element>(
        _ name: String,
        _ values: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        key(name)
        array(values) { writer, value in
            var object = JSONWriter()
            write(&object, value)
            writer.bytes += object.finish()
        }
    }

    /// Writes an object.
    mutating func member(_ name: String, _ write: (inout JSONWriter) -> Void) {
        key(name)
        var object = JSONWriter()
        write(&object)
        bytes += object.finish()
    }

    private mutating func member(_ name: String, literal: String) {
        key(name)
        bytes += literal.utf8
    }

    private mutating func key(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    private mutating func array<Element>(
        _ values: [Element],
        _ write: (inout JSONWriter, Element) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        for (index, value) in values.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: ",")) }
            write(&self, value)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Writes a string (RFC 8259, section 7).
    private mutating func string(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case 0..<0x20:
                bytes += "\\u00".utf8
                bytes.append(Self.digits[Int(byte >> 4)])
                bytes.append(Self.digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static let digits = Array("0123456789abcdef".utf8)
}
