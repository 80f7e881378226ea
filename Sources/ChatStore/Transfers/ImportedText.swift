// What the database can hold of a text.

import ChatProtocol

/// A text as it is stored, and what had to be done to it.
struct ImportedText {
    private(set) var text: String
    /// Why it is not as the file has it; nil where it is.
    private(set) var change: String?

    /// - Parameters:
    ///   - text: from the file.
    ///   - bytes: the longest that fits.
    init(_ text: String, atMost bytes: Int) {
        self.text = text
        if text.utf8.contains(0) {
            self.text = text.replacing("\0", with: "\u{FFFD}")
            change = ImportReason.nulCharacter
        }
        if self.text.utf8.count > bytes {
            self.text = self.text.prefix(utf8Count: bytes)
            change = ImportReason.cutText
        }
    }
}

extension GenerationSettings {
    /// The settings that are within the bounds; the others are left to the server.
    var withinBounds: GenerationSettings {
        GenerationSettings(
            temperature: temperature.flatMap { (0...2).contains($0) ? $0 : nil },
            topP: topP.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil },
            maxTokens: maxTokens.flatMap { (1...1_000_000).contains($0) ? $0 : nil }
        )
    }
}
