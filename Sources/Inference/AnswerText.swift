// Converts sampled tokens to text that may be shown: whole characters, and no part of a stop
// string.

import Checkpoints
import Tokenizers

/// The text of a running answer.
struct AnswerText {
    private var decoder: StreamingDecoder
    private var stops: StopStringMatcher

    init(tokenizer: Tokenizer, stopStrings: [String]) {
        decoder = StreamingDecoder(tokenizer)
        stops = StopStringMatcher(stopStrings)
    }

    /// Reads the tokens of a text that the answer begins with and that is shown already: none of it is
    /// held back, and no stop string begins in it.
    mutating func begin(with given: some Sequence<TokenID>) {
        for token in given { _ = decoder.append(token) }
        _ = decoder.finish()
    }

    /// Returns the text that `token` makes available, and whether a stop string is complete.
    mutating func append(_ token: TokenID) -> (text: String, isStopped: Bool) {
        pass(decoder.append(token))
    }

    /// Returns the text that was held back, at the end of the answer.
    mutating func finish() -> String {
        let (text, isStopped) = pass(decoder.finish())
        return isStopped ? text : text + stops.finish()
    }

    private mutating func pass(_ piece: String) -> (text: String, isStopped: Bool) {
        guard !piece.isEmpty else { return ("", false) }
        let output = stops.append(piece)
        return (output.text, output.hit != nil)
    }
}
