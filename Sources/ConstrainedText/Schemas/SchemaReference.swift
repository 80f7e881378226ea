// References to places of a schema: JSON pointers as fragments (RFC 6901, section 6).

import JSONText

/// Finds what a reference names.
enum SchemaReference {
    /// The pointer of a reference into the same schema; nil for another one.
    static func pointer(_ reference: String) -> String? {
        guard reference.hasPrefix("#") else { return nil }
        let pointer = PercentDecoding.decode(String(reference.dropFirst()))
        return pointer.isEmpty || pointer.hasPrefix("/") ? pointer : nil
    }

    /// The schema that a reference names.
    static func target(of reference: String, in document: JSONValue) -> JSONValue? {
        guard let pointer = pointer(reference) else { return nil }
        var value = document
        for part in pointer.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            let token = unescaped(part)
            if let member = value.object?[token] {
                value = member
            } else if let index = Int(token), let array = value.array, array.indices.contains(index)
            {
                value = array[index]
            } else {
                return nil
            }
        }
        return value
    }

    private static func unescaped(_ token: Substring) -> String {
        var text = ""
        var isEscape = false
        for scalar in token.unicodeScalars {
            if isEscape {
                text.unicodeScalars.append(scalar == "1" ? "/" : "~")
                isEscape = false
            } else if scalar == "~" {
                isEscape = true
            } else {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
