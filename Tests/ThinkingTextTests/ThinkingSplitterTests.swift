// The parts of answers of reasoning models.

import TestSupport
import Testing
import ThinkingText

@Suite("An answer's thinking part")
struct ThinkingSplitterTests {
    struct Row: Sendable {
        let text: String
        let thinking: String?
        let answer: String
        var isOpen = false
    }

    static let rows = [
        Row(text: "", thinking: nil, answer: ""),
        Row(text: "Hello", thinking: nil, answer: "Hello"),
        Row(text: "<think>a</think>b", thinking: "a", answer: "b"),
        Row(text: "<think>\na\n</think>\n\n b ", thinking: "\na\n", answer: "b "),
        Row(text: "<think>a", thinking: "a", answer: "", isOpen: true),
        Row(text: "<think>", thinking: "", answer: "", isOpen: true),
        Row(text: "<think></think>", thinking: "", answer: ""),
        Row(text: "<think>a</think> \n", thinking: "a", answer: ""),
        Row(text: "<thin", thinking: nil, answer: "<thin"),
        Row(text: "<thinking>a</thinking>", thinking: nil, answer: "<thinking>a</thinking>"),
        Row(text: " <think>a</think>", thinking: nil, answer: " <think>a</think>"),
        Row(text: "Say <think>a</think>", thinking: nil, answer: "Say <think>a</think>"),
        Row(text: "<think>a</thi", thinking: "a</thi", answer: "", isOpen: true),
        Row(text: "<think>a < b </ <</think>b", thinking: "a < b </ <", answer: "b"),
        Row(text: "<think>a<think>b</think>c", thinking: "a<think>b", answer: "c"),
        Row(text: "<think>a</think>b</think>c", thinking: "a", answer: "b</think>c"),
        Row(text: "<think>é😀</think>ö<", thinking: "é😀", answer: "ö<"),
    ]

    @Test("is what stands between the tags at its beginning", arguments: rows)
    func parts(row: Row) {
        let parts = ThinkingParts(row.text)
        #expect(parts.thinking == row.thinking)
        #expect(parts.answer == row.answer)
        #expect(parts.isOpen == row.isOpen)
        #expect(ThinkingParts.answer(of: row.text) == row.answer)
        let rest = row.text.utf8.dropFirst(parts.answerStart)
        #expect(row.answer.isEmpty || rest.elementsEqual(row.answer.utf8))
    }

    @Test("is the same wherever the text is split", arguments: rows)
    func splits(row: Row) {
        let bytes = Array(row.text.utf8)
        for cut in row.text.unicodeScalars.indices.map({ $0.utf16Offset(in: row.text) }) {
            let index = String.Index(utf16Offset: cut, in: row.text)
            check([row.text[..<index], row.text[index...]], row, bytes)
        }
        check(row.text.unicodeScalars.map { Substring(String($0)) }, row, bytes)
    }

    @Test("is the same for random texts and random splits")
    func randomTexts() {
        var random = SeededGenerator(seed: 50)
        let words = ["<think>", "</think>", "<", "/", "think", ">", " ", "\n", "a", "é", "😀", "</"]
        for _ in 0..<3000 {
            let count = Int.random(in: 0..<8, using: &random)
            var text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined()
            if Bool.random(using: &random) { text = "<think>" + text }
            let parts = ThinkingParts(text)
            var pieces: [Substring] = []
            var rest = text[...]
            while !rest.isEmpty {
                let length = Int.random(in: 1...3, using: &random)
                let end = rest.unicodeScalars.index(
                    rest.startIndex,
                    offsetBy: length,
                    limitedBy: rest.endIndex
                )
                pieces.append(rest[..<(end ?? rest.endIndex)])
                rest = rest[(end ?? rest.endIndex)...]
            }
            let row = Row(
                text: text,
                thinking: parts.thinking,
                answer: parts.answer,
                isOpen: parts.isOpen
            )
            check(pieces, row, Array(text.utf8))
        }
    }

    /// Reads a text in pieces: the parts are those of the row, and each piece is where it says.
    private func check(_ pieces: [Substring], _ row: Row, _ bytes: [UInt8]) {
        var splitter = ThinkingSplitter()
        var found: [ThinkingSplitter.Piece] = []
        for piece in pieces { found += splitter.append(piece) }
        #expect(splitter.isThinking == row.isOpen)
        #expect(splitter.hasThinking == (row.thinking != nil))
        found += splitter.finish()
        let thinking = found.filter { $0.part == .thinking }.map(\.text).joined()
        #expect(thinking == row.thinking ?? "")
        #expect(found.filter { $0.part == .answer }.map(\.text).joined() == row.answer)
        for piece in found {
            let end = piece.at + piece.text.utf8.count
            #expect(end <= bytes.count && bytes[piece.at..<end].elementsEqual(piece.text.utf8))
        }
    }
}
