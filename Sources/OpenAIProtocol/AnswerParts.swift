// Splits an answer into its thinking part and the rest, and gives each token to the text that it is of.

import ChatCore
import ThinkingText

/// The parts of a growing answer. A value: pieces of the text in, pieces of its parts out.
struct AnswerParts: Sendable {
    /// Text of a part.
    enum Piece: Sendable, Hashable {
        /// More of what the model thinks.
        case thinking(String)
        /// More of what it answers.
        case answer(AnswerPiece)
    }

    private var splitter = ThinkingSplitter()
    /// Tokens whose text has not been returned.
    private var tokens: [AnswerToken] = []

    /// Reads more of the answer.
    mutating func append(_ piece: AnswerPiece) -> [Piece] {
        tokens += piece.tokens
        return pieces(splitter.append(piece.text))
    }

    /// Ends the answer.
    /// - Returns: what had to wait for its end.
    mutating func finish() -> [Piece] { pieces(splitter.finish()) }

    private mutating func pieces(_ pieces: [ThinkingSplitter.Piece]) -> [Piece] {
        pieces.map { piece in
            guard piece.part == .answer else { return .thinking(piece.text) }
            defer { tokens = [] }
            // Tokens before it are of the thinking part and its tags.
            return .answer(AnswerPiece(piece.text, tokens: tokens.filter { $0.at >= piece.at }))
        }
    }

    /// The parts of a whole answer; nil for an empty thinking part.
    static func split(_ piece: AnswerPiece) -> (thinking: String?, answer: AnswerPiece) {
        var parts = AnswerParts()
        var (thinking, answer) = ("", AnswerPiece(""))
        for part in parts.append(piece) + parts.finish() {
            switch part {
            case .thinking(let text): thinking += text
            case .answer(let more):
                answer.text += more.text
                answer.tokens += more.tokens
            }
        }
        return (thinking.isEmpty ? nil : thinking, answer)
    }
}
