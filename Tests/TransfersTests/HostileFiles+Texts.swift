// Invalid JSON, and JSON beyond the limits.

extension HostileFile {
    private static func inTitle(_ bytes: [UInt8]) -> [UInt8] {
        Array(#"[{"mapping":{},"title":""#.utf8) + bytes + Array(#""}]"#.utf8)
    }

    static let texts: [HostileFile] = encodings + grammar

    private static let encodings: [HostileFile] = [
        refused("a byte that is never UTF-8", inTitle([0xFF]), "is not UTF-8"),
        refused("an overlong slash", inTitle([0xC0, 0xAF]), "is not UTF-8"),
        refused("a surrogate in UTF-8", inTitle([0xED, 0xA0, 0x80]), "is not UTF-8"),
        refused("a scalar above 10FFFF", inTitle([0xF4, 0x90, 0x80, 0x80]), "is not UTF-8"),
        refused("half a character", inTitle([0xE2, 0x82]), "is not UTF-8"),
        refused("UTF-16", [0xFF, 0xFE, 0x5B, 0, 0x5D, 0], "neither a ZIP archive nor JSON"),
        refused("a NUL in a text", inTitle([0]), "control character"),
        refused("NULs for a file", [UInt8](repeating: 0, count: 1 << 20), "neither"),
        refused("an escape of no digits", inTitle(Array(#"\uZZZZ"#.utf8)), "escape"),
        changed(
            "lone surrogates",
            "[\(chatGPT([node("q", "null", text: #""\ud800 \udfff \ud800\ud800""#)]))]",
            "half a character became U+FFFD"
        ),
        changed(
            "NULs as escapes",
            "[\(chatGPT([node("q", "null", text: #""a\u0000b""#)]))]",
            "a character NUL became U+FFFD"
        ),
        changed(
            "a NUL in a title",
            libreChat(#"[{"messageId":"1","text":"t","isCreatedByUser":true}]"#)
                .replacing("\"t\"", #""\u0000""#),
            "a character NUL became U+FFFD"
        ),
    ]

    private static let grammar: [HostileFile] = [
        refused("nothing", "", "neither"),
        refused("white space", "  \n\t ", "neither"),
        refused("HTML", "<!doctype html><title>Sign in</title>", "neither"),
        refused("a number", "42", "neither a list nor an object"),
        refused("a text", "\"conversations\"", "neither a list nor an object"),
        refused("two files in one", "[\(sound)][\(sound)]", "something follows"),
        refused("single quotes", "[{'mapping': {}}]", "a key"),
        refused("a comma too much", "[\(sound),]", "a value"),
        refused("a comment", "[/* all */ \(sound)]", "a value"),
        refused("NaN", #"[{"mapping": {}, "create_time": NaN}]"#, "a value"),
        refused(
            "a number of 10,000 digits",
            "[{\"a\":1\(String(repeating: "0", count: 9999))}]",
            "digits"
        ),
        refused("an infinite number", #"[{"mapping":{},"create_time":1e400}]"#, "too large"),
        refused("a number with a leading zero", #"[{"mapping":{},"create_time":01}]"#, "malformed"),
        refused("a bracket of the other kind", #"[{"mapping":{]}]"#, "a key"),
        refused("another system's list", #"[{"uuid":"1","chat_messages":[]}]"#, "no conversations"),
        refused("an object of something else", #"{"a": {"b": []}}"#, "no conversations"),
    ]

    static let sizes: [HostileFile] = [
        refused("arrays 300,000 deep", String(repeating: "[", count: 300_000), "nested more than"),
        refused(
            "objects 300,000 deep",
            String(repeating: #"{"a":"#, count: 300_000),
            "nested more than"
        ),
        skipped(
            "a conversation with a member 1,000 deep",
            #"[{"mapping":"# + String(repeating: "[", count: 1000)
                + String(repeating: "]", count: 1000) + "},\(sound)]",
            "it is too large: values are nested more than 64 deep",
            conversations: 1
        ),
        skipped(
            "LibreChat's messages with something deep in one",
            #"{"conversationId":"c","messagesTree":[{"text":"#
                + String(repeating: "[", count: 100) + String(repeating: "]", count: 100) + "}]}",
            "it is too large: values are nested more than 64 deep"
        ),
        skipped(
            "a text of 17 MiB",
            "[\(chatGPT([node("q", "null", text: "\"\(String(repeating: "x", count: 17 << 20))\"")])),\(sound)]",
            "it is too large: a string is longer than 16777216 bytes",
            conversations: 1
        ),
        changed(
            "a text of 2 MiB",
            "[\(chatGPT([node("q", "null", text: "\"\(String(repeating: "ü", count: 1 << 20))\"")]))]",
            "a text was too long and was cut"
        ),
        changed(
            "a title of a million bytes",
            "[\(chatGPT([node("q", "null")], more: #","id":"c","title":"\#(String(repeating: "é", count: 500_000))""#))]",
            "a text was too long and was cut"
        ),
        skipped(
            "two million numbers in a conversation",
            #"[{"mapping":{},"safe_urls":["# + String(repeating: "0,", count: 2_000_000) + "0]}]",
            "it is too large: one conversation has more than 1000000 values"
        ),
        skipped(
            "a million entries that are none",
            "[\(sound)" + String(repeating: ",0", count: 1_000_000) + "]",
            "it is not an object",
            conversations: 1
        ),
        skipped(
            "a million empty lists",
            "[" + String(repeating: "[],", count: 1_000_000) + "\(sound)]",
            "it is not an object",
            conversations: 1
        ),
        skipped(
            "100,000 empty objects after a conversation",
            "[\(sound)" + String(repeating: ",{}", count: 100_000) + "]",
            "it is no conversation of a known system",
            conversations: 1
        ),
        skipped(
            "60,000 messages",
            "[\(chatGPT((0..<60_000).map { #""\#($0)":null"# }))]",
            "it has too many messages"
        ),
        skipped(
            "100,000 fields that nobody knows",
            "[{\"mapping\":{\(node("q", "null"))},\"id\":\"c\""
                + (0..<100_000).map { #","f\#($0)":0"# }.joined() + "}]",
            "a field that nothing is made of",
            conversations: 1
        ),
    ]
}
