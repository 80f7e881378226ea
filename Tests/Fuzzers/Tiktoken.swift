// tiktoken's vocabulary file: lines that follow those of all bytes, and a text for that tokenizer after a
// zero byte. With a first byte 1 the lines of the bytes are left out.

import Checkpoints
import Tokenizers

/// Loads a vocabulary, encodes a text and decodes it again. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func loadTiktoken(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = FuzzerInput(start, count).parts(atMost: 2)
    let isWhole = parts[0].first == 1
    let file = isWhole ? Array(parts[0].dropFirst()) : byteLines + parts[0]
    do throws(TokenizerError) {
        let tokenizer = try Tokenizer(tiktoken: file.span, path: "cl100k_base.tiktoken")
        let text = text(parts.count > 1 ? parts[1] : parts[0])
        let plain = tokenizer.encode(text, specialTokens: .asText)
        let parsed = tokenizer.encode(text, specialTokens: .parse)
        _ = tokenizer.decode(parsed + [-1, .max], keepSpecial: true)
        precondition(
            tokenizer.decode(plain, keepSpecial: false).utf8.elementsEqual(text.utf8),
            "a text is what its tokens decode to"
        )
        precondition(
            tokenizer.addedTokens.isDisjoint(with: plain),
            "plain text was encoded as an added token"
        )
        precondition(plain.allSatisfy(tokenizer.hasToken), "an id without a token")
    } catch {
        precondition(error.description.contains("cl100k_base.tiktoken"), "an error names its file")
    }
    return 0
}

/// "AA== 0", …, "/w== 255".
private let byteLines: [UInt8] = {
    let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )
    return (0..<256).flatMap { byte in
        [alphabet[byte >> 2], alphabet[(byte & 3) << 4]] + Array("== \(byte)\n".utf8)
    }
}()
