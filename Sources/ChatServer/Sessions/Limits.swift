// Limits on the fields of requests.

import ChatProtocol

enum Limits {
    /// The size of a page, 50 unless requested otherwise.
    static func page(_ wanted: Int?) throws(WireError) -> Int {
        guard let wanted else { return 50 }
        guard (1...200).contains(wanted) else {
            throw WireError(.badRequest, "limit must be 1 to 200")
        }
        return wanted
    }

    /// Refuses a text that is too long, or that PostgreSQL cannot store.
    static func check(_ text: String?, _ field: String, atMost bytes: Int) throws(WireError) {
        guard let text else { return }
        guard text.utf8.count <= bytes else {
            throw WireError(.limitExceeded, "\(field) is longer than \(bytes) bytes")
        }
        guard !text.utf8.contains(0) else {
            throw WireError(.badRequest, "\(field) holds a NUL character")
        }
    }

    /// Refuses an invalid name of a team, a folder, or another thing with a name.
    static func check(
        name: String,
        of what: String,
        atMost characters: Int = 64
    ) throws(WireError) {
        try check(name, "name", atMost: 256)
        let isPlain = name.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned: false
            default: true
            }
        }
        guard (1...characters).contains(name.unicodeScalars.count), isPlain,
            name.first?.isWhitespace == false, name.last?.isWhitespace == false
        else {
            throw WireError(
                .badRequest,
                "the name of \(what) is 1 to \(characters) characters, without white space around it"
            )
        }
    }

    static func check(_ settings: GenerationSettings?) throws(WireError) {
        if let violation = settings?.violation { throw WireError(.badRequest, violation) }
    }
}
