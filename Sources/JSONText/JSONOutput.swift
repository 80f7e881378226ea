// Incremental JSON output: the bytes written so far, and the objects and arrays that are still
// open.

/// The text of one value (RFC 8259), written from start to end.
///
/// `Encodable` does not report the end of an object or array. It has ended when something is
/// written to an outer container: each container knows its depth, and writing closes deeper ones.
final class JSONOutput {
    private struct Container {
        let isObject: Bool
        var isEmpty = true
    }

    private(set) var bytes: [UInt8] = []
    private var open: [Container] = []

    init() { bytes.reserveCapacity(512) }

    /// Opens an object or array.
    /// - Returns: its depth.
    func begin(isObject: Bool) -> Int {
        bytes.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
        open.append(Container(isObject: isObject))
        return open.count
    }

    /// Closes all containers deeper than `depth`.
    func close(to depth: Int) {
        while open.count > depth {
            let container = open.removeLast()
            bytes.append(container.isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
        }
    }

    /// Writes the separator before the next member of the container at `depth`.
    func next(at depth: Int) {
        precondition(depth <= open.count, "a container that was left is written to")
        close(to: depth)
        if open[depth - 1].isEmpty {
            open[depth - 1].isEmpty = false
        } else {
            bytes.append(UInt8(ascii: ","))
        }
    }

    /// Writes the separator and the name of the next member of the object at `depth`.
    func next(_ key: String, at depth: Int) {
        next(at: depth)
        write(key)
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Values

    func writeNull() { bytes.append(contentsOf: "null".utf8) }

    func write(_ value: Bool) { bytes.append(contentsOf: (value ? "true" : "false").utf8) }

    func write(_ value: some FixedWidthInteger) { bytes.append(contentsOf: String(value).utf8) }

    /// A number without a fraction is written as an integer; a value that JSON cannot represent, as
    /// a string.
    func write(_ value: some BinaryFloatingPoint & LosslessStringConvertible) {
        if value.isNaN { return write("NaN") }
        if value.isInfinite { return write(value < 0 ? "-Infinity" : "Infinity") }
        var text = value.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        bytes.append(contentsOf: text.utf8)
    }

    func write(_ text: String) {
        bytes.append(UInt8(ascii: "\""))
        var text = text
        text.withUTF8 { utf8 in
            var start = 0
            for (index, byte) in utf8.enumerated() where Self.needsEscape(byte) {
                bytes.append(contentsOf: utf8[start..<index])
                writeEscape(of: byte)
                start = index + 1
            }
            bytes.append(contentsOf: utf8[start...])
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func writeEscape(of byte: UInt8) {
        let letter: UInt8
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): letter = byte
        case 0x08: letter = UInt8(ascii: "b")
        case 0x09: letter = UInt8(ascii: "t")
        case 0x0A: letter = UInt8(ascii: "n")
        case 0x0C: letter = UInt8(ascii: "f")
        case 0x0D: letter = UInt8(ascii: "r")
        default:
            let digits = String(byte, radix: 16)
            bytes.append(contentsOf: (byte < 0x10 ? "\\u000" : "\\u00").utf8)
            bytes.append(contentsOf: digits.utf8)
            return
        }
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(letter)
    }
}
