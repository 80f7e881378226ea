// Encoding of text: added tokens are found, and the pieces between them are normalized, split into
// words, and merged.

import Checkpoints

/// The encoding of one text.
struct TextEncoding {
    private let tokenizer: Tokenizer
    private var merger: PairMerger
    /// The tokens so far.
    private(set) var tokens: [TokenID] = []
    /// The byte offsets of added tokens and of the pieces between them, with the number of tokens
    /// before; ascending.
    private(set) var marks: [(offset: Int, tokenCount: Int)] = []

    init(_ tokenizer: Tokenizer) {
        self.tokenizer = tokenizer
        merger = PairMerger(tokenizer.model.merges)
    }

    /// Encodes `text`, UTF-8, with added tokens only in `ranges`, except those for white space.
    mutating func encode(_ text: [UInt8], findingTokensIn ranges: [Range<Int>]) {
        var matches = tokenizer.finder.matches(in: text, within: ranges)
        if let finder = tokenizer.whiteSpaceFinder {
            matches += finder.matches(in: text, within: Self.gaps(of: ranges, in: text.count))
            matches.sort { $0.range.lowerBound < $1.range.lowerBound }
        }
        var offset = 0
        // A special token may have stripped the white space before it.
        for match in matches where match.range.lowerBound >= offset {
            encodePiece(text, offset..<match.range.lowerBound)
            marks.append((match.textStart, tokens.count))
            tokens.append(match.token)
            offset = match.range.upperBound
        }
        encodePiece(text, offset..<text.count)
    }

    /// What `ranges`, which ascend, leave of `count` bytes.
    private static func gaps(of ranges: [Range<Int>], in count: Int) -> [Range<Int>] {
        let starts = [0] + ranges.map(\.upperBound)
        let ends = ranges.map(\.lowerBound) + [count]
        return zip(starts, ends).filter { $0 < $1 }.map { $0..<$1 }
    }

    /// Encodes a piece without added tokens.
    private mutating func encodePiece(_ text: [UInt8], _ range: Range<Int>) {
        guard !range.isEmpty else { return }
        marks.append((range.lowerBound, tokens.count))
        let piece = tokenizer.normalizer.normalize(Array(text[range]))
        switch tokenizer.preTokenizer {
        case .none:
            encodeCharacters(piece)
        case .byteLevel(let pattern):
            let scalars = ScalarText(piece)
            var start = 0
            while start < scalars.count {
                let end = pattern.wordEnd(scalars, from: start)
                let bytes = Int(scalars.offsets[start])..<Int(scalars.offsets[end])
                encodeWord(piece.span.extracting(bytes))
                start = end
            }
        }
    }

    /// Encodes `piece` as one word, or as several if the result is the same: short words are merged
    /// much faster.
    private mutating func encodeCharacters(_ piece: [UInt8]) {
        let wordStart = MergeTable.wordStart
        var start = 0
        var afterWordStart = 0
        if tokenizer.model.merges.keepsWordsApart {
            for offset in piece.indices where piece[offset] == wordStart[0] {
                guard piece[offset...].starts(with: wordStart) else { continue }
                if offset > afterWordStart {
                    encodeWord(piece.span.extracting(start..<offset))
                    start = offset
                }
                afterWordStart = offset + wordStart.count
            }
        }
        encodeWord(piece.span.extracting(start..<piece.count))
    }

    private mutating func encodeWord(_ word: Span<UInt8>) {
        tokenizer.model.appendSymbols(of: word, to: &merger.symbols)
        merger.mergeSymbols(into: &tokens)
    }
}
