// The files of the hub double's model.

import COpenSSL
import TestSupport

struct RepositoryDouble {
    /// The files by name.
    var files: [String: [UInt8]] = [
        "config.json": Array("{}".utf8),
        "tokenizer.json": Array("{\"model\":{}}".utf8),
        "model.safetensors": Self.weights(300_000),
        "README.md": Array("# A model\n".utf8),
    ]
    /// File sizes in the list that differ from the real ones.
    var announcedSizes: [String: Int] = [:]

    /// `count` bytes that do not repeat within a piece's length.
    static func weights(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
        var generator = SeededGenerator(seed: seed)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            let word = generator.next()
            withUnsafeBytes(of: word) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    /// Whether the hub stores a file as a large one, at the second origin and by another digest.
    static func isLarge(_ name: String) -> Bool {
        name.hasSuffix(".safetensors") || name.hasSuffix(".gguf")
    }

    /// The name of the file's blob.
    static func digest(_ content: [UInt8], isLarge: Bool) -> String {
        var digest = [UInt8](repeating: 0, count: isLarge ? 32 : 20)
        if isLarge {
            SHA256(content, content.count, &digest)
        } else {
            let whole = Array("blob \(content.count)\0".utf8) + content
            SHA1(whole, whole.count, &digest)
        }
        return digest.map { byte in
            String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }

    /// The blob name of one of the files.
    func digest(of name: String) -> String {
        Self.digest(files[name] ?? [], isLarge: Self.isLarge(name))
    }

    /// The list of files: an entry for each file and one for a folder.
    var entries: [String] {
        let folder =
            #"{"type":"directory","path":"onnx","oid":"\#(Self.digest([], isLarge: false))","size":0}"#
        return [folder]
            + files.sorted { $0.key < $1.key }.map { name, content in
                let git = Self.digest(content, isLarge: false)
                let size = announcedSizes[name] ?? content.count
                guard Self.isLarge(name) else {
                    return #"{"type":"file","path":"\#(name)","size":\#(size),"oid":"\#(git)"}"#
                }
                return """
                    {"type":"file","path":"\(name)","size":\(size),"oid":"\(git)","lfs":\
                    {"oid":"\(digest(of: name))","size":\(size),"pointerSize":134}}
                    """
            }
    }

    /// The hub's metadata for the model.
    func information(_ commit: String) -> String {
        let names = files.keys.sorted().map { #"{"rfilename":"\#($0)"}"# }
        return """
            {"id":"org/name","modelId":"org/name","sha":"\(commit)","private":false,"gated":false,\
            "tags":[],"siblings":[\(names.joined(separator: ","))]}
            """
    }
}
