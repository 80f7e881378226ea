// Files with values of unexpected types.

extension HostileFile {
    static let shapes: [HostileFile] = ofChatGPT + ofOpenWebUI + ofLibreChat

    private static let others = ["null", "1", "\"x\"", "[]", "true"]

    private static let ofChatGPT: [HostileFile] =
        others.map {
            skipped(
                "a mapping that is \($0)",
                "[\(sound),{\"id\":\"c\",\"mapping\":\($0)}]",
                "its messages are not an object",
                conversations: 1
            )
        }
        + others.dropFirst().map {
            skipped(
                "a node that is \($0)",
                "[\(chatGPT([node("q", "null"), #""n":\#($0)"#]))]",
                "it is not an object",
                conversations: 1
            )
        }
        + others.dropFirst().map {
            skipped(
                "a message that is \($0)",
                "[\(chatGPT([node("q", "null"), #""n":{"parent":"q","message":\#($0)}"#]))]",
                "it is not an object",
                conversations: 1
            )
        } + [
            skipped("no messages", "[\(chatGPT([]))]", "it has no messages"),
            skipped("no messages and no id", #"[{"mapping":{}}]"#, "it has no messages and no id"),
            skipped(
                "only an empty root",
                "[\(chatGPT([#""r":{"message":null,"parent":null}"#]))]",
                "it has no messages"
            ),
            skipped(
                "an unknown role",
                "[\(chatGPT([node("q", "null"), node("x", "\"q\"", role: "root")]))]",
                "it is by nobody who is known",
                conversations: 1
            ),
            skipped(
                "parts that are no texts",
                "[\(chatGPT([node("q", "null", text: "1,[],{},null")]))]",
                "a part that is not text",
                conversations: 1
            ),
            skipped(
                "an id of a million bytes",
                "[\(chatGPT([node("q", "null")], more: #","id":"\#(String(repeating: "i", count: 1_000_000))""#))]",
                "its id is too long or invalid"
            ),
            skipped(
                "an id with a NUL",
                "[\(chatGPT([node("q", "null")], more: #","id":"a\u0000""#))]",
                "its id is too long or invalid"
            ),
            skipped(
                "a hidden message of the system",
                "[\(chatGPT([node("q", "null"), node("s", "null", role: "system", more: #","weight":0"#)]))]",
                "a hidden message of the system",
                conversations: 1
            ),
            skipped(
                "times of another age",
                "[\(chatGPT([node("q", "null", more: #","create_time":-1e300"#)], more: #","id":"c","create_time":1e300,"update_time":-5,"x":0"#))]",
                "a field that nothing is made of",
                conversations: 1
            ),
        ]

    private static let ofOpenWebUI: [HostileFile] =
        others.map {
            skipped(
                "messages of Open WebUI that are \($0)",
                openWebUI($0),
                "its messages are not an object"
            )
        } + [
            skipped(
                "a message of Open WebUI that is not an object",
                openWebUI(#"{"a":{"role":"user","content":"t"},"b":7}"#),
                "it is not an object",
                conversations: 1
            ),
            skipped(
                "a content that is a number",
                openWebUI(#"{"a":{"role":"user","content":7}}"#),
                "its content is not text",
                conversations: 1
            ),
            skipped(
                "a role that is an object",
                openWebUI(#"{"a":{"role":{},"content":"t"},"b":{"role":"user","content":"t"}}"#),
                "it is by nobody who is known",
                conversations: 1
            ),
        ]

    private static let ofLibreChat: [HostileFile] =
        others.filter { $0 != "[]" }.map {
            skipped(
                "messages of LibreChat that are \($0)",
                libreChat($0),
                "its messages are not a list"
            )
        }
        + others.map {
            skipped(
                "an id that is \($0)",
                libreChat("[]", id: $0),
                $0 == "\"x\"" ? "it has no messages" : "its id is not text"
            )
        } + [
            skipped(
                "a tree of messages that is a number",
                #"{"conversationId":"c","messagesTree":7}"#,
                "its messages are not a list"
            ),
            skipped(
                "a tree of numbers",
                #"{"conversationId":"c","messagesTree":[1,2]}"#,
                "a message is not an object"
            ),
            skipped(
                "children that are a text",
                #"{"conversationId":"c","messagesTree":[{"children":"none"}]}"#,
                "its messages are not a list"
            ),
            skipped(
                "a list of LibreChat's with a number",
                libreChat(#"[7,{"messageId":"1","text":"t","isCreatedByUser":true}]"#),
                "it is not an object",
                conversations: 1
            ),
        ]
}
