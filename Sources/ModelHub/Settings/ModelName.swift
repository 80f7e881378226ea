// Names of models: short names of the Phi models, and any name on the hub.

/// A model on the hub.
public struct ModelName: Sendable, Hashable, CustomStringConvertible {
    /// `organization/name`.
    public let description: String

    /// The short names, each with the 4-bit MLX checkpoint that it stands for.
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

    /// The model whose cache folder is `folderName`; nil for other folders.
    init?(folderName: String) {
        guard folderName.hasPrefix("models--") else { return nil }
        let rest = folderName.dropFirst("models--".count)
        // A name cannot contain "--", so the split is unambiguous.
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

    /// - Throws: `badRevision` if the name is invalid or its path could leave the folder of refs.
    init(_ text: String) throws(HubError) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && !part.hasPrefix(".")
                && part.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") }
        }
        guard isPlain, text.utf8.count <= 200 else { throw .badRevision(text) }
        description = text
    }

    /// Whether it is a commit id, which never changes its meaning.
    var isCommit: Bool { isHexadecimal(description, count: 40) }
}
