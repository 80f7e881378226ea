// Text for a terminal: whatever a message contains, and however it is split, only printable characters
// come out, and the same lines; bytes of a keyboard give the same keys in any pieces.

import TerminalText

/// Lays the bytes out as Markdown, and reads them as keys. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readTerminalText(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = FuzzerInput(start, count).raw
    let text = String(decoding: bytes, as: UTF8.self)
    let size = 1 + count % 7
    let whole = lines(text, inPiecesOf: max(1, count))
    precondition(whole == lines(text, inPiecesOf: size), "lines depend on the split")
    for scalar in whole.lazy.flatMap(\.unicodeScalars) {
        precondition(
            scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value),
            "a control character"
        )
        precondition(!(0x202A...0x202E).contains(scalar.value), "a direction override")
    }
    var decoder = KeyDecoder()
    let keys = decoder.append(bytes)
    var split = KeyDecoder()
    precondition(bytes.flatMap { split.append([$0]) } == keys, "keys depend on the split")
    var editor = LineEditor(history: ["one", "two\nlines"])
    for key in keys { _ = editor.take(key) }
    let layout = PromptLayout(editor, prompt: Span("> "), columns: 1 + count % 40)
    precondition(layout.lines.indices.contains(layout.cursor.row), "the cursor is outside")
    return 0
}

/// The lines of a Markdown text that arrives in pieces.
private func lines(_ text: String, inPiecesOf count: Int) -> [String] {
    var stream = MarkdownStream(width: 30)
    var lines: [StyledLine] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
        lines += stream.append(String(rest.prefix(count)))
        _ = stream.open()
        rest = rest.dropFirst(count)
    }
    return (lines + stream.finish()).map(\.text)
}
