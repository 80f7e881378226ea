// Times in options.

import ChatProtocol
import FoundationEssentials

extension Timestamp {
    /// Parses an option's UTC day or time, such as 2026-11-27 or 2026-11-27T09:30:00Z.
    init?(argument text: String) {
        let candidates = [
            text, "\(text)T00:00:00.000Z", text.replacing("Z", with: ".000Z"),
        ]
        let read = candidates.lazy.compactMap { text in
            try? JSONDecoder().decode(Timestamp.self, from: Data("\"\(text)\"".utf8))
        }
        guard let time = read.first else { return nil }
        self = time
    }
}
