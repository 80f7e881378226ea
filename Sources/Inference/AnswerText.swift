// From sampled tokens to text that may be shown: whole characters, nothing of a stop string.

import Checkpoints
import Tokenizers

/// The text of one answer as it grows.
struct AnswerText {
    private var decoder: StreamingDecoder
    private var stops: StopStringMatcher

    init(tokenizer: Tokenizer, stopStrings: [String]) {
        decoder = StreamingDecoder(tokenizer)
        stops = StopStringMatcher(stopStrings)
    }

    /// What may be shown now that `token` has come, and whether a stop string is complete.
    mutating func append(_ token: TokenID) -> (text: String, isStopped: Bool) {
        pass(decoder.append(token))
    }

    /// What was held back, when the answer ends.
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
