// What a reader received, in short lines for reports.

import ChatProtocol

/// Formats the lines of a reader's trace.
enum Trace {
    /// A watch reply.
    static func line(_ reply: ConversationWatchReply) -> String {
        let events = (reply.events ?? []).map { line($0) }.joined(separator: ", ")
        let growing = reply.growing.map { part in
            "\(short(part.message)) run \(short(part.run)) \(part.at)-\(part.to)"
        }
        let messages = reply.snapshot.map { snapshot in
            "snapshot of "
                + snapshot.messages.map { message in
                    "\(short(message.id)) \(message.state) \(message.text.utf8.count)"
                }.joined(separator: ", ")
        }
        return "reply up to \(reply.n): \(messages ?? events); growing: \(growing)"
    }

    /// An event.
    static func line(_ event: ServerEvent) -> String {
        let words =
            switch event {
            case .messageCreated(let body):
                "created \(short(body.message.id)) \(body.message.state) "
                    + "run \(body.message.run.map(short) ?? "-")"
            case .messageStarted(let body):
                "started \(short(body.message)) run \(short(body.run))"
            case .messageRestarted(let body):
                "restarted \(short(body.message)) run \(short(body.run)) at \(body.at)"
            case .messageDelta(let body):
                "delta \(short(body.message)) run \(short(body.run)) \(body.at)-\(body.to)"
            case .messageCompleted(let body), .messageStopped(let body), .messageFailed(let body):
                "ended \(short(body.message)) run \(short(body.run)) at \(body.to)"
                    + (body.text == nil ? "" : " with its text")
            default: event.name.rawValue
            }
        return (event.n.map { "\($0) " } ?? "") + words
    }

    /// The end of an id: ids created at the same time have the same start.
    private static func short<Entity>(_ id: ID<Entity>) -> String { String("\(id)".suffix(4)) }
}
