// A GGUF file of a repository, chosen as llama.cpp's `-hf` does: by its quantization or its name.

/// Which GGUF file of a repository is meant.
public struct GGUFChoice: Sendable, Hashable, CustomStringConvertible {
    /// A quantization such as `Q4_K_M`, or the file's name.
    public let description: String

    /// - Throws: `badName` if it is neither.
    init(_ text: String) throws(HubError) {
        guard !text.isEmpty, text.utf8.count <= 255,
            text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") })
        else { throw .badName(text) }
        description = text
    }

    /// Whether a file of this name is a GGUF file of a model; those in folders are not looked for.
    static func isFile(_ path: String) -> Bool {
        path.hasSuffix(".gguf") && !path.contains("/")
    }

    /// The file that is meant.
    /// - Parameters:
    ///   - paths: the files of the repository.
    ///   - name: the repository, for errors.
    /// - Returns: its name.
    /// - Throws: `notAModel` if there is none, there are several, or it is in parts.
    func file(in paths: [String], of name: ModelName) throws(HubError) -> String {
        let files = paths.filter(Self.isFile).sorted()
        guard !files.isEmpty else { throw .notAModel(name, "it has no GGUF file") }
        if let file = files.first(where: { isName(of: $0) }), Self.part(of: file) == nil {
            return file
        }
        let found = files.filter { isQuantization(of: Self.part(of: $0) ?? Self.stem($0)) }
        guard let file = found.first else {
            let others = files.prefix(20).joined(separator: ", ")
            throw .notAModel(name, "it has no GGUF file “\(self)”, but \(others)")
        }
        guard !found.contains(where: { Self.part(of: $0) != nil }) else {
            throw .notAModel(
                name,
                "\(file) is a part of a model; take one in a single file, or join the parts with "
                    + "llama-gguf-split --merge"
            )
        }
        guard found.count == 1 else {
            throw .notAModel(
                name,
                "“\(self)” may be \(found.joined(separator: " or ")): give the file's name"
            )
        }
        return file
    }

    private func isName(of file: String) -> Bool {
        let wanted = description.lowercased()
        return file.lowercased() == wanted || Self.stem(file).lowercased() == wanted
    }

    private func isQuantization(of stem: String) -> Bool {
        let (stem, wanted) = (stem.lowercased(), description.lowercased())
        return stem == wanted || stem.hasSuffix("-\(wanted)") || stem.hasSuffix(".\(wanted)")
    }

    private static func stem(_ file: String) -> String { String(file.dropLast(".gguf".count)) }

    /// The name of the model that a file like `a-00001-of-00003.gguf` is a part of; nil for others.
    private static func part(of file: String) -> String? {
        let words = stem(file).split(separator: "-", omittingEmptySubsequences: false)
        guard words.count > 3, words[words.count - 2] == "of",
            [words[words.count - 1], words[words.count - 3]].allSatisfy({ word in
                word.count == 5 && word.allSatisfy(\.isNumber)
            })
        else { return nil }
        return words.dropLast(3).joined(separator: "-")
    }
}

/// What a pull fetches: a model's folder, or one GGUF file of it.
public struct PullTarget: Sendable, Hashable, CustomStringConvertible {
    /// The repository.
    public let name: ModelName
    /// The file; nil for the folder with config.json and safetensors.
    public let gguf: GGUFChoice?

    /// The folder of `name`.
    public init(_ name: ModelName) { (self.name, gguf) = (name, nil) }

    /// Reads a short name, `organization/name`, or `organization/name:QUANTIZATION` or `:FILE`.
    /// - Throws: `badName`.
    public init(_ text: String) throws(HubError) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        name = try ModelName(parts.first.map(String.init) ?? "")
        gguf = parts.count > 1 ? try GGUFChoice(String(parts[1])) : nil
    }

    /// As it is written.
    public var description: String { gguf.map { "\(name):\($0)" } ?? "\(name)" }
}
