// Short names for the models that Stoa is made for.

/// A model on the hub.
public struct ModelName: Sendable, Hashable, CustomStringConvertible {
    /// `organization/name`.
    public let description: String

    /// The short names.
    public static let registry = [
        "phi-3-mini": "mlx-community/Phi-3-mini-4k-instruct-4bit",
        "phi-3.5-mini": "mlx-community/Phi-3.5-mini-instruct-4bit",
        "phi-4-mini": "mlx-community/Phi-4-mini-instruct-4bit",
        "phi-4": "mlx-community/phi-4-4bit",
    ]

    /// Reads a short name or `organization/name`.
    /// - Throws: `badName`.
    public init(_ text: String) throws(HubError) {
        let id = Self.registry[text] ?? text
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 96 && !part.hasPrefix(".")
                && part.utf8.allSatisfy(Self.isAllowed)
        }
        guard parts.count == 2, isPlain else { throw .badName(text) }
        description = id
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
            UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// The model's folder in the cache.
    var folderName: String {
        "models--" + description.split(separator: "/").joined(separator: "--")
    }
}
