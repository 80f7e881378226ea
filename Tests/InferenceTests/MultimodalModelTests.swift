// A multimodal model through the whole engine: the demo model as mlx-vlm would write it, with
// encoders that are larger than itself.

import Checkpoints
import FoundationEssentials
import Glibc
import Inference
import JSONText
import TestSupport
import Testing

@Suite("A multimodal model's text")
struct MultimodalModelTests {
    private static let encoderByteCount = 16 << 20

    private let folder: TemporaryFolder
    private let weights: String

    init() throws {
        folder = try DemoModel.links(without: "config.json")
        weights = "\(folder.path)/model.safetensors"
        let demo = DemoModel.folder
        let config = try MappedFile(path: "\(demo)/config.json").contents
        let text = String(decoding: config, as: UTF8.self)
            .replacing("\"phi3\"", with: "\"phi4mm\", \"partial_rotary_factor\": 1")
        try folder.write("config.json", Array(text.utf8))
        let file = try MappedFile(path: "\(demo)/model.safetensors").contents
        try FileManager.default.removeItem(atPath: weights)
        try folder.write("model.safetensors", Self.multimodal(file))
    }

    /// The tensors of `file` as those of a language model, with an encoder before and after them.
    private static func multimodal(_ file: [UInt8]) throws -> [UInt8] {
        let headerCount = (0..<8).reduce(0) { $0 | Int(file[$1]) << (8 * $1) }
        let headerBytes = Array(file[8..<8 + headerCount])
        let header = try #require(try JSONValue(parsing: headerBytes.span).object)
        let data = file[(8 + headerCount)...]
        var entries: [String] = []
        for (name, entry) in header {
            guard let type = entry["dtype"]?.string, let shape = entry["shape"]?.array,
                let offsets = entry["data_offsets"]?.array?.compactMap(\.integer)
            else { continue }
            let numbers = shape.compactMap(\.integer).map(String.init).joined(separator: ",")
            entries.append(
                """
                "language_model.\(name)":{"dtype":"\(type)","shape":[\(numbers)],\
                "data_offsets":[\(offsets[0] + encoderByteCount),\(offsets[1] + encoderByteCount)]}
                """
            )
        }
        let end = encoderByteCount + data.count
        for (name, start) in [("vision_tower", 0), ("audio_encoder", end)] {
            entries.append(
                """
                "\(name).layers.weight":{"dtype":"U8","shape":[\(encoderByteCount)],\
                "data_offsets":[\(start),\(start + encoderByteCount)]}
                """
            )
        }
        let text = Array("{\(entries.joined(separator: ","))}".utf8)
        let encoder = [UInt8](repeating: 0xFF, count: encoderByteCount)
        return (0..<8).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) }
            + text + encoder + data + encoder
    }

    @Test("it answers like the text model alone, and its encoders are never read")
    func answer() throws {
        let model = try LoadedModel.load(folder: folder.path)
        let demo = try DemoModel.load()
        let question = "Who are you?"
        let answer = try model.generate(model.request(1, question)) { _ in }
        let expected = try demo.generate(demo.request(1, question)) { _ in }
        #expect(answer.receipt?.answer.ids == expected.receipt?.answer.ids)
        #expect(answer.completionTokens > 3)
        // As long as the model is there, so is its mapping.
        let resident = try withExtendedLifetime(model) { try residentByteCount(of: weights) }
        #expect(resident > 4_000_000)
        // The kernel may map neighbors of a page that are in its cache, but no encoder.
        #expect(resident < Self.encoderByteCount)
    }

    @Test("its memory is that of the text model")
    func memory() throws {
        let footprint = try ModelFootprint(folder: folder.path)
        #expect(footprint == (try ModelFootprint(folder: DemoModel.folder)))
    }

    /// The bytes of the file `path` that this process has mapped and read.
    private func residentByteCount(of path: String) throws -> Int {
        let file = try #require(fopen("/proc/self/smaps", "r"))
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 4096)
        var isOfFile = false
        var byteCount = 0
        while fgets(&line, Int32(line.count), file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
            let words = text.split { $0 == " " || $0 == "\n" }
            if words.first?.hasSuffix(":") == false { isOfFile = words.last ?? "" == path }
            guard isOfFile, words.first == "Rss:", let kibibytes = Int(words[1]) else { continue }
            byteCount += kibibytes * 1024
        }
        return byteCount
    }
}
