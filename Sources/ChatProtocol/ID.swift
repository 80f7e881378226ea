// Identifiers: UUIDs of version 7 (RFC 9562, section 5.7). Their first 48 bits are the time of
// creation, so that rows created together are close in an index. On the wire they are lower-case
// text.

public import FoundationEssentials

/// The identifier of one `Entity`. The compiler keeps different kinds of identifiers apart.
public struct ID<Entity>: Hashable, Sendable {
    /// The identifier as PostgreSQL stores it.
    public let uuid: UUID

    /// Wraps an existing identifier.
    public init(_ uuid: UUID) {
        self.uuid = uuid
    }

    /// Parses the text form; nil if `text` is not a UUID.
    public init?(_ text: String) {
        guard text.utf8.count == 36, let uuid = UUID(uuidString: text) else { return nil }
        self.uuid = uuid
    }

    /// Creates an identifier of version 7.
    /// - Parameters:
    ///   - milliseconds: the time since 1970, in milliseconds.
    ///   - generator: provides the 74 bits that are not time, version or variant.
    public init(milliseconds: UInt64, using generator: inout some RandomNumberGenerator) {
        let time = milliseconds.bigEndian
        let high = UInt64.random(in: .min ... .max, using: &generator)
        let low = UInt64.random(in: .min ... .max, using: &generator)
        let bytes: [UInt8] = withUnsafeBytes(of: time) { time in
            var bytes = Array(time[2..<8])
            bytes.append(0x70 | UInt8(truncatingIfNeeded: high) & 0x0F)
            bytes.append(UInt8(truncatingIfNeeded: high >> 8))
            bytes.append(0x80 | UInt8(truncatingIfNeeded: low) & 0x3F)
            for shift in stride(from: 8, to: 64, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: low >> UInt64(shift)))
            }
            return bytes
        }
        uuid = UUID(
            uuid: (
                bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7],
                bytes[8], bytes[9], bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
            )
        )
    }

    /// The lowest identifier of version 7 with a given time.
    /// - Parameter milliseconds: the time since 1970, in milliseconds; capped at 48 bits.
    /// - Returns: an identifier such that none of this or a later time is lower.
    public static func lowest(milliseconds: UInt64) -> ID {
        var zeros = Zeros()
        return ID(milliseconds: min(milliseconds, 1 << 48 - 1), using: &zeros)
    }

    /// The time of an identifier of version 7: milliseconds since 1970.
    public var milliseconds: UInt64 {
        let bytes = uuid.uuid
        return [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5]
            .reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Creates an identifier of version 7 from the system's clock and random generator.
    public static func make() -> ID {
        make(milliseconds: UInt64(max(0, Date().timeIntervalSince1970 * 1000)))
    }

    /// Creates an identifier for a given time: an imported copy sorts like its original.
    /// - Parameter milliseconds: the time since 1970, in milliseconds.
    /// - Returns: a unique identifier.
    public static func make(milliseconds: UInt64) -> ID {
        var generator = SystemRandomNumberGenerator()
        return ID(milliseconds: milliseconds, using: &generator)
    }
}

/// A generator that returns only zeros.
private struct Zeros: RandomNumberGenerator {
    func next() -> UInt64 { 0 }
}

extension ID: CustomStringConvertible {
    /// The text form, in lower case, as RFC 9562 requires of output.
    public var description: String { uuid.uuidString.lowercased() }
}

extension ID: Codable {
    /// Reads the wire form.
    /// - Throws: `DecodingError` if it is malformed.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let id = ID(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "is not a UUID"
            )
        }
        self = id
    }

    /// Writes the wire form.
    /// - Throws: what the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A user's identifier.
public typealias UserID = ID<User>
/// A conversation's identifier.
public typealias ConversationID = ID<Conversation>
/// A message's identifier.
public typealias MessageID = ID<Message>
/// A run's identifier: one attempt to generate an answer. Never reused.
public typealias RunID = ID<RunAttempt>
/// A team's identifier.
public typealias TeamID = ID<Team>
/// A link's identifier.
public typealias ShareID = ID<Share>
/// An invite's identifier.
public typealias TeamInviteID = ID<TeamInvite>
/// A sign-in's identifier.
public typealias SessionID = ID<Session>

/// One attempt of an engine to generate an answer; declared only for the type `RunID`.
public enum RunAttempt {}
/// One sign-in of a user on a device; declared only for the type `SessionID`.
public enum Session {}
