// Texts as the database can store them.

import ChatProtocol
import Transfers

/// A text as it is stored, and what was changed in it.
struct ImportedText {
    private(set) var text: String
    /// Why it differs from the file; nil if it does not.
    private(set) var change: ImportReason?

    /// - Parameters:
    ///   - text: the text in the file.
    ///   - bytes: maximum length.
    init(_ text: String, atMost bytes: Int) {
        self.text = text
        if text.utf8.contains(0) {
            self.text = text.replacing("\0", with: "\u{FFFD}")
            change = .nulCharacter
        }
        if self.text.utf8.count > bytes {
            self.text = self.text.prefix(utf8Count: bytes)
            change = .cutText
        }
    }
}
