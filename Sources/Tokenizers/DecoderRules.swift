// Reads `decoder`: the conversion of tokens to text.

import JSONText

/// The two decoders of the Phi families.
enum DecoderRules: Sendable {
    /// The characters of each token represent bytes; all bytes together are UTF-8 (Phi-4).
    case byteLevel
    /// Tokens are text with `replacements`; runs of "<0x0A>" are bytes; up to
    /// `leadingSpacesDropped` spaces at the start of the text are removed (Phi-3).
    case byteFallback(
        replacements: [(pattern: [UInt8], content: [UInt8])],
        leadingSpacesDropped: Int
    )

    /// Reads `ByteLevel`, or a `Sequence` of `Replace`…, `ByteFallback`, `Fuse` and optionally a
    /// `Strip` of leading spaces.
    init(_ value: JSONValue?, path: String) throws(TokenizerError) {
        let components = try ComponentList.flatten(value ?? .null, key: "decoders", path: path)
        let types = components.map { $0["type"]?.string ?? "none" }
        if types == ["ByteLevel"] {
            self = .byteLevel
            return
        }
        let replaceCount = types.prefix { $0 == "Replace" }.count
        let rest = types.dropFirst(replaceCount)
        guard rest == ["ByteFallback", "Fuse"] || rest == ["ByteFallback", "Fuse", "Strip"] else {
            let found = types.joined(separator: ", ")
            throw .unsupported(path: path, part: "the decoder", found: found)
        }
        var replacements: [(pattern: [UInt8], content: [UInt8])] = []
        for component in components.prefix(replaceCount) {
            replacements.append(try ComponentList.replacement(component, path: path))
        }
        self = .byteFallback(
            replacements: replacements,
            leadingSpacesDropped: rest.count == 3
                ? try Self.strippedSpaces(components[components.count - 1], path: path) : 0
        )
    }

    private static func strippedSpaces(
        _ strip: JSONValue,
        path: String
    ) throws(TokenizerError) -> Int {
        guard strip["content"]?.string == " ", strip["stop"]?.integer ?? 0 == 0,
            let start = strip["start"]?.integer, start >= 0
        else {
            throw .unsupported(path: path, part: "Strip of", found: "anything but leading spaces")
        }
        return start
    }
}
