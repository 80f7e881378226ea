// Times on the wire: RFC 3339, UTC, milliseconds.

public import FoundationEssentials

/// A time in whole milliseconds since 1970 (UTC).
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let milliseconds: Int64

    /// Creates a time from milliseconds since 1970.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Rounds `date` down to a millisecond.
    public init(_ date: Date) {
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded(.down))
    }

    /// The same time as a `Date`.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

    /// The current time of the system's clock.
    public static var now: Timestamp { Timestamp(Date()) }

    /// Compares two times; earlier ones are smaller.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    private static let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
}

extension Timestamp: Codable, CustomStringConvertible {
    /// RFC 3339 text such as `2026-11-21T09:30:00.125Z`.
    public var description: String {
        // Plus half a millisecond, because the format truncates and a Double may be slightly too
        // small.
        Date(timeIntervalSince1970: (Double(milliseconds) + 0.5) / 1000).formatted(Self.format)
    }

    /// Reads the wire form.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let date = try? Self.format.parse(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "is not a time as RFC 3339 writes it"
            )
        }
        milliseconds = Int64((date.timeIntervalSince1970 * 1000).rounded())
    }

    /// Writes the wire form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
