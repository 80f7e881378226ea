// Invalid trees, and truncated files.

extension HostileFile {
    private static let cycle = "its parents formed a cycle; it begins a branch"
    private static let orphan = "its parent is missing; it begins a branch of its own"

    static let trees: [HostileFile] = [
        changed("a message that is its own parent", "[\(chatGPT([node("q", "\"q\"")]))]", cycle),
        changed(
            "two messages that are each other's parents",
            "[\(chatGPT([node("q", "\"a\""), node("a", "\"q\"", role: "assistant")]))]",
            cycle
        ),
        changed(
            "10,000 messages in a circle",
            "[\(chatGPT((0..<10_000).map { node("\($0)", "\"\(($0 + 1) % 10_000)\"") }))]",
            cycle
        ),
        changed(
            "20,000 messages in a row, the last one first, all of one role",
            "[\(chatGPT((0..<20_000).map { node("\($0)", "\"\($0 + 1)\"") }))]",
            orphan
        ),
        changed(
            "20,000 messages below one that is missing",
            "[\(chatGPT((0..<20_000).map { node("\($0)", "\"none\"") }))]",
            orphan
        ),
        changed(
            "a message whose parent is empty, after an answer to nothing",
            "[\(chatGPT([node("a", "\"\"", role: "assistant")]))]",
            "it answered nothing; an empty question is before it"
        ),
        changed(
            "a message twice",
            "[\(chatGPT([node("q", "null"), node("q", "null", text: "\"other\"")]))]",
            "a key stood twice in one object; the last value counts"
        ),
        changed(
            "a message of LibreChat's twice",
            libreChat(
                #"[{"messageId":"1","text":"a","isCreatedByUser":true},"#
                    + #"{"messageId":"1","text":"b","isCreatedByUser":true}]"#
            ),
            "its id stood twice; the last one counts"
        ),
        changed(
            "messages of LibreChat's in a circle",
            libreChat(
                #"[{"messageId":"1","parentMessageId":"2","text":"a","isCreatedByUser":true},"#
                    + #"{"messageId":"2","parentMessageId":"1","text":"b","isCreatedByUser":false}]"#
            ),
            cycle
        ),
        changed(
            "messages of Open WebUI's in a circle, with children that disagree",
            openWebUI(
                #"{"a":{"parentId":"b","childrenIds":["a"],"role":"user","content":"x"},"#
                    + #""b":{"parentId":"a","childrenIds":[],"role":"assistant","content":"y"}}"#
            ),
            cycle
        ),
        changed(
            "a title twice",
            "[\(chatGPT([node("q", "null")], more: #","id":"c","title":"u","title":"v""#))]",
            "a key stood twice in one object; the last value counts"
        ),
        skipped(
            "an answer of 3,000 parts that forks at each",
            "[\(chatGPT(comb(3000)))]",
            "its answers fork too often"
        ),
        skipped(
            "an answer whose beginning of 1 MB stands on 100 branches",
            "[\(chatGPT(fan(100)))]",
            "its texts are too long together"
        ),
    ]

    /// A chain of answers with a leaf at each node.
    private static func comb(_ count: Int) -> [String] {
        [node("q", "null")]
            + (0..<count).flatMap { index in
                let parent = index == 0 ? "\"q\"" : "\"\(index - 1)\""
                return [
                    node("\(index)", parent, role: "assistant"),
                    node("leaf \(index)", parent, role: "assistant"),
                ]
            }
    }

    /// A long answer with many continuations.
    private static func fan(_ count: Int) -> [String] {
        let text = "\"\(String(repeating: "x", count: 1_000_000))\""
        return [node("q", "null"), node("a", "\"q\"", role: "assistant", text: text)]
            + (0..<count).map { node("\($0)", "\"a\"", role: "assistant") }
    }

    /// A valid file, truncated at each token boundary.
    static let cuts: [HostileFile] = {
        let text = Array("[\(sound)]".utf8)
        let marks = Set(#"{}[]:,""#.utf8)
        return text.indices.dropFirst().filter { marks.contains(text[$0]) }
            .map { refused("a file cut after \($0) bytes", Array(text[..<$0]), "ends too early") }
    }()
}

extension String {
    /// Replaces each `old`.
    func replacing(_ old: String, _ new: String) -> String {
        split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}
