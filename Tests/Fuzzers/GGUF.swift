// A GGUF file: its header, and the model that it has; or its tokenizer and template, if the input
// begins with a byte 1. Then it is put behind the metadata of a whole vocabulary, which mutations
// would seldom leave alone.

import Checkpoints
import Glibc
import PhiModel
import Tokenizers

/// Reads a header, and opens what the file has. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readGGUF(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = FuzzerInput(start, count).raw
    do throws(CheckpointError) {
        let header = try GGUFHeader(parsing: input, path: "model.gguf")
        for tensor in header.tensors where !tensor.byteRange.isEmpty {
            sink = input[tensor.byteRange.lowerBound] ^ input[tensor.byteRange.upperBound - 1]
        }
    } catch {
        precondition(error.description.contains("model.gguf"), "an error names its file")
    }
    if input.first == 1 {
        file.replace(Vocabulary.file(input.dropFirst()))
        openTokenizer()
    } else {
        file.replace(Array(input))
        openModel()
    }
    return 0
}

/// Opens the model, and computes the logits of one token.
private func openModel() {
    do throws(CheckpointError) {
        let checkpoint = try Checkpoint.open(file.path)
        let model = try PhiModel(checkpoint)
        guard model.configuration.parameterCount < 1 << 19 else { return }
        let session = model.makeSession(threadCount: 1, tokenCountMax: 1)
        guard let cache = try? model.makeCache(capacity: 1) else { return }
        let logits = try? session.forward([SequenceStep(tokens: [0], cache: cache, logitsCount: 1)])
        precondition(logits?[0]?.count == model.vocabularyCount, "a logit for each row")
    } catch {
        precondition(error.description.contains(file.path), "an error names its file")
    }
}

/// Loads the tokenizer and the template, and encodes a text.
private func openTokenizer() {
    do throws(TokenizerError) {
        let tokenizer = try Tokenizer.load(folder: file.path)
        let text = "the <|user|>\n house é <|end|> <s>▁▁ a"
        let plain = tokenizer.encode(text, specialTokens: .asText)
        let parsed = tokenizer.encode(text, specialTokens: .parse)
        _ = tokenizer.decode(parsed + [-1, .max], keepSpecial: true)
        precondition(
            tokenizer.addedTokens.isDisjoint(with: plain),
            "plain text was encoded as an added token"
        )
        precondition(plain.allSatisfy(tokenizer.hasToken), "an id without a token")
        let template = try ChatTemplate.load(folder: file.path, tokenizer: tokenizer)
        let chat = [ChatMessage(role: "user", content: text)]
        _ = template.encode(chat, addGenerationPrompt: true)
    } catch {
        let text = error.description
        precondition(
            text.contains(file.path) || text.contains("built-in"),
            "an error names its file"
        )
    }
}

/// Keeps reads from being optimized away.
nonisolated(unsafe) private var sink: UInt8 = 0

private let file = ModelFile()

/// A file whose content is replaced; fuzz.sh creates its folder in memory.
private struct ModelFile {
    let path: String
    private let descriptor: CInt
    /// Zeros after an input: it is a header only, and so stays small.
    private static let dataByteCount = 1 << 18

    init() {
        guard let folder = getenv("STOA_FUZZ_FOLDER") else {
            preconditionFailure("run Tests/Fuzzers/fuzz.sh instead")
        }
        path = "\(String(cString: folder))/model.gguf"
        descriptor = open(path, O_WRONLY | O_CREAT, 0o600)
    }

    func replace(_ input: [UInt8]) {
        ftruncate(descriptor, 0)
        pwrite(descriptor, input, input.count, 0)
        ftruncate(descriptor, input.count + Self.dataByteCount)
    }
}

/// The metadata of a vocabulary with all bytes, in both of its kinds.
private enum Vocabulary {
    /// A file of them, and of `rest`: the number of tensors, the number of other values, and these.
    static func file(_ rest: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
        let bytes = Array(rest)
        guard bytes.count >= 2 else { return bytes }
        return Array("GGUF".utf8) + number(UInt32(3)) + number(UInt64(bytes[0]))
            + number(UInt64(3 + Int(bytes[1]))) + values + bytes[2...]
    }

    private static let values: [UInt8] = {
        let characters = ["▁", "t", "h", "e", "▁t", "he", "▁the", "Ġt", "th", "the", "Ġthe"]
        var texts: [String] = []
        var kinds: [Int32] = []
        for byte in UInt8.min ... .max {
            let digits = String(byte, radix: 16, uppercase: true)
            texts.append("<0x\(digits.count < 2 ? "0" : "")\(digits)>")
            kinds.append(6)
        }
        for text in alphabet + characters.filter({ !alphabet.contains($0) }) {
            texts.append(text)
            kinds.append(1)
        }
        for text in ["<s>", "<|user|>", "<|assistant|>", "<|end|>"] {
            texts.append(text)
            kinds.append(3)
        }
        let scores = texts.indices.flatMap { number((-Float($0)).bitPattern) }
        return string("tokenizer.ggml.tokens")
            + array(8, texts.count, texts.flatMap(string))
            + string("tokenizer.ggml.token_type")
            + array(5, kinds.count, kinds.flatMap { number($0) })
            + string("tokenizer.ggml.scores") + array(6, texts.count, scores)
    }()

    /// GPT-2's characters of all bytes.
    private static let alphabet: [String] = {
        var next = UInt32(0x100)
        return (UInt8.min ... .max).map { byte in
            switch byte {
            case 33...126, 161...172, 174...255: return String(Unicode.Scalar(byte))
            default:
                defer { next += 1 }
                return Unicode.Scalar(next).map { String($0) } ?? ""
            }
        }
    }()

    private static func number(_ number: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: number.littleEndian) { Array($0) }
    }

    private static func string(_ text: String) -> [UInt8] {
        number(UInt64(text.utf8.count)) + Array(text.utf8)
    }

    private static func array(_ type: UInt32, _ count: Int, _ elements: [UInt8]) -> [UInt8] {
        number(UInt32(9)) + number(type) + number(UInt64(count)) + elements
    }
}
