// Calls of tools in answers: the result does not depend on how the text is split, text without calls is
// passed on byte by byte, and no text brings the parser down.

import ToolCalls

/// Parses the bytes as an answer. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readToolCalls(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: FuzzerInput(start, count).raw, as: UTF8.self)
    let whole = Answer(text, inPiecesOf: max(1, count))
    let split = Answer(text, inPiecesOf: 1 + count % 5)
    precondition(split == whole, "calls depend on the split")
    precondition(!whole.calls.isEmpty || whole.text.utf8.elementsEqual(text.utf8), "lost text")
    return 0
}

/// What an answer's text gives.
private struct Answer: Equatable {
    var text = ""
    var calls: [String] = []

    init(_ answer: String, inPiecesOf count: Int) {
        var parser = ToolCallParser(
            ToolCallParser.Marks(opening: "<|tool_call|>", closing: "<|/tool_call|>"),
            functions: ["now", "weather"]
        )
        var rest = answer.unicodeScalars[...]
        while !rest.isEmpty {
            for event in parser.append(String(rest.prefix(count))) { take(event) }
            rest = rest.dropFirst(count)
        }
        for event in parser.finish() { take(event) }
    }

    private mutating func take(_ event: ToolCallParser.Event) {
        switch event {
        case .text(let more): text += more
        case .call(let index, let name):
            precondition(index == calls.count, "calls are not numbered in order")
            calls.append("\(name) ")
        case .arguments(let index, let more): calls[index] += more
        }
    }

    static func == (one: Answer, other: Answer) -> Bool {
        one.text.utf8.elementsEqual(other.text.utf8)
            && one.calls.map { Array($0.utf8) } == other.calls.map { Array($0.utf8) }
    }
}
