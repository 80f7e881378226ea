// Names of models: short ones for those that Stoa is made for, and any of the hub.

/// A model on the hub.
public struct ModelName: Sendable, Hashable, CustomStringConvertible {
    /// `organization/name`.
    public let description: String

    /// The short names, each with the checkpoint in MLX's format and 4 bit that it stands for.
    public static let registry = [
        "phi-3-mini": "mlx-community/Phi-3-mini-4k-instruct-4bit",
        "phi-3-mini-128k": "mlx-community/Phi-3-mini-128k-instruct-4bit",
        "phi-3.5-mini": "mlx-community/Phi-3.5-mini-instruct-4bit",
        "phi-4-mini": "mlx-community/Phi-4-mini-instruct-4bit",
        "phi-4-mini-reasoning": "mlx-community/Phi-4-mini-reasoning-4bit",
        "phi-4": "mlx-community/phi-4-4bit",
    ]

    /// Reads a short name or `organization/name`.
    /// - Throws: `badName`.
    public init(_ text: String) throws(HubError) {
        let id = Self.registry[text.lowercased()] ?? text
        let parts = id.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part.utf8.count <= 96 && !part.hasPrefix(".")
                && !part.contains("--") && !part.contains("..")
                && part.utf8.allSatisfy(Self.isAllowed)
        }
        guard parts.count == 2, isPlain else { throw .badName(text) }
        description = id
    }

    /// The model that the cache keeps in the folder `folderName`; nil for other folders.
    init?(folderName: String) {
        guard folderName.hasPrefix("models--") else { return nil }
        let rest = folderName.dropFirst("models--".count)
        // A name cannot hold "--", so there is one way to read it.
        guard let border = rest.firstRange(of: "--"),
            let name = try? ModelName("\(rest[..<border.lowerBound])/\(rest[border.upperBound...])")
        else { return nil }
        self = name
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

/// A branch, a tag or a commit.
struct Revision: Sendable, Hashable, CustomStringConvertible {
    let description: String

    /// - Throws: `badRevision` for what could leave the cache's folder of names, or is no name at all.
    init(_ text: String) throws(HubError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && !part.hasPrefix(".")
                && part.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
        }
        guard isPlain, text.utf8.count <= 200 else { throw .badRevision(text) }
        description = text
    }

    /// Whether it is a commit: a name that never means anything else.
    var isCommit: Bool { isHexadecimal(description, count: 40) }
}
