// One HTML page without scripts or external resources, and a policy that forbids both.

import ChatProtocol

enum HTMLText {
    static let beginning = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
        style-src 'unsafe-inline'">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Conversations</title>
        <style>
        body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif; }
        h2 { font-size: 1rem; margin: 1.5rem 0 .25rem; break-after: avoid; }
        small { color: #555; font-weight: normal; }
        pre { white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; margin: 0; }
        .assistant pre { border-left: 3px solid #999; padding-left: .75rem; }
        .prompt { color: #555; }
        @media print { body { margin: 0; max-width: none; } article { break-after: page; } }
        </style>
        </head>
        <body>

        """
    static let end = "</body>\n</html>\n"

    static func text(
        of document: ConversationDocument,
        _ entries: [ConversationDocument.Entry]
    ) -> String {
        let conversation = document.conversation
        let title = conversation.title.isEmpty ? "Conversation" : conversation.title.inOneLine
        var text = "<article id=\"\(conversation.id)\">\n<h1 dir=\"auto\">\(escaped(title))</h1>\n"
        text +=
            "<p><small><bdi>\(escaped(conversation.model.inOneLine))</bdi> · \(conversation.createdAt)"
        text += "</small></p>\n"
        if !document.systemPrompt.isEmpty {
            text += "<pre class=\"prompt\" dir=\"auto\">\(escaped(document.systemPrompt))</pre>\n"
        }
        for entry in entries {
            let message = entry.message
            text += "<section class=\"\(message.role.rawValue)\">\n<h2>"
            text += "<bdi>\(escaped(entry.speaker.inOneLine))</bdi> "
            text += "<small>\(message.createdAt)</small></h2>\n"
            let (thinking, answer) = message.parts
            if let thinking {
                text += "<details><summary>Thinking</summary>\n"
                text += "<pre dir=\"auto\">\(escaped(thinking))</pre></details>\n"
            }
            text += "<pre dir=\"auto\">\(escaped(answer))</pre>\n"
            if message.state != .complete {
                text += "<p><small>(\(message.state.rawValue))</small></p>\n"
            }
            text += "</section>\n"
        }
        return text + "</article>\n"
    }

    /// Escapes text for element content and quoted attributes. Characters that HTML forbids are
    /// replaced, and direction overrides are removed.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t", "\r": escaped.unicodeScalars.append(scalar)
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}": escaped += "\u{FFFD}"
            case _ where DirectionMarks.contains(scalar): break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
