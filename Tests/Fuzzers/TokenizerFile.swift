// tokenizer.json, a zero byte, and a text for that tokenizer.

import Checkpoints
import JSONText
import Tokenizers

/// Loads a tokenizer, encodes a text and decodes it again. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func loadTokenizer(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let parts = FuzzerInput(start, count).parts(atMost: 2)
    guard let json = try? JSONValue(parsing: withByteTokens(parts[0])) else { return 0 }
    do throws(TokenizerError) {
        let tokenizer = try Tokenizer(json, path: "tokenizer.json")
        let text = text(parts.count > 1 ? parts[1] : parts[0])
        let plain = tokenizer.encode(text, specialTokens: .asText)
        let parsed = tokenizer.encode(text, specialTokens: .parse)
        _ = tokenizer.decode(plain, keepSpecial: false)
        _ = tokenizer.decode(parsed + [-1, .max], keepSpecial: true)
        let added = tokenizer.addedTokens
        precondition(added.isDisjoint(with: plain), "plain text was encoded as an added token")
        precondition(plain.allSatisfy(tokenizer.hasToken), "an id without a token")
    } catch {
        precondition(error.description.contains("tokenizer.json"), "an error names its file")
    }
    return 0
}

/// `file` with the tokens of all bytes inserted in place of its first byte 1 (in Phi-3's format)
/// and of its first byte 2 (in Phi-4's): a vocabulary without them is refused, and inputs that
/// contain them would be long and mostly equal.
private func withByteTokens(_ file: [UInt8]) -> [UInt8] {
    var result = file
    for (mark, members) in [(UInt8(1), byteTexts), (UInt8(2), alphabetTexts)] {
        if let place = result.firstIndex(of: mark) {
            result.replaceSubrange(place...place, with: members)
        }
    }
    return result
}

/// `"<0x00>":0,…,"<0xFF>":255`
private let byteTexts = members { byte in
    let digits = String(byte, radix: 16, uppercase: true)
    return "<0x\(digits.count < 2 ? "0" : "")\(digits)>"
}

/// `"Ā":0,…,"ÿ":255`, GPT-2's alphabet.
private let alphabetTexts = {
    var next = UInt32(0x100)
    return members { byte in
        switch byte {
        case 0x22: return "\\\""
        case 0x5C: return "\\\\"
        case 33...126, 161...172, 174...255: return String(Unicode.Scalar(byte))
        default:
            defer { next += 1 }
            return Unicode.Scalar(next).map { String($0) } ?? ""
        }
    }
}()

private func members(_ text: (UInt8) -> String) -> [UInt8] {
    Array((UInt8.min ... .max).map { "\"\(text($0))\":\($0)" }.joined(separator: ",").utf8)
}
