// Thinking parts of answers: they do not depend on how the text is split, nothing of the text is lost but the
// tags and the white space after them, and no text brings the splitter down.

import ThinkingText

/// Splits the bytes as an answer. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func splitThinking(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: FuzzerInput(start, count).raw, as: UTF8.self)
    let bytes = Array(text.utf8)
    let parts = ThinkingParts(text)
    var splitter = ThinkingSplitter()
    var (thinking, answer): ([UInt8], [UInt8]) = ([], [])
    func take(_ pieces: [ThinkingSplitter.Piece]) {
        for piece in pieces {
            let own = Array(piece.text.utf8)
            precondition(!own.isEmpty, "a piece without text")
            precondition(bytes[piece.at...].starts(with: own), "a piece is not where it says")
            if piece.part == .answer { answer += own } else { thinking += own }
        }
    }
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
        take(splitter.append(String(rest.prefix(1 + count % 5))))
        rest = rest.dropFirst(1 + count % 5)
    }
    precondition(splitter.isThinking == parts.isOpen, "the state depends on the split")
    take(splitter.finish())
    precondition(thinking == Array((parts.thinking ?? "").utf8), "thinking depends on the split")
    precondition(answer == Array(parts.answer.utf8), "the answer depends on the split")
    precondition(bytes[parts.answerStart...].elementsEqual(answer), "the answer ends elsewhere")
    return 0
}
