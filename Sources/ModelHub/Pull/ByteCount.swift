// Formats numbers of bytes.

/// A number of bytes, written with three digits and a decimal unit: "1.23 GB".
public struct ByteCount: Sendable, Hashable, CustomStringConvertible {
    /// The number.
    public let bytes: Int

    /// So many bytes.
    public init(_ bytes: Int) { self.bytes = bytes }

    /// Three digits and a unit.
    public var description: String {
        var value = Double(bytes)
        var units = ["bytes", "kB", "MB", "GB", "TB", "PB"][...]
        while value >= 999.5, units.count > 1 {
            value /= 1000
            units = units.dropFirst()
        }
        let unit = units.first ?? ""
        guard unit != "bytes" else { return "\(bytes) bytes" }
        let digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        let scale = [1, 10, 100][digits]
        let scaled = Int((value * Double(scale)).rounded())
        guard digits > 0 else { return "\(scaled) \(unit)" }
        let fraction = "\(scaled % scale)"
        let zeros = String(repeating: "0", count: digits - fraction.count)
        return "\(scaled / scale).\(zeros)\(fraction) \(unit)"
    }
}
