// The conformance vectors of docs/reference/conformance, applied to this library's views.

import ChatClient
import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing

private struct VectorFile<Vector: Decodable>: Decodable {
    let vectors: [Vector]
}

/// Reads a file of vectors.
private func vectors<Vector: Decodable>(_ name: String, as type: Vector.Type) throws -> [Vector] {
    let path = "\(SharedFiles.packageRoot)/docs/reference/conformance/\(name).json"
    let data = try Data(contentsOf: URL(filePath: path))
    return try JSONDecoder().decode(VectorFile<Vector>.self, from: data).vectors
}

/// An event; nil if its name is unknown to this version.
private struct AnyEvent: Decodable {
    let event: ServerEvent?

    private enum Key: String, CodingKey { case ev }

    init(from decoder: any Decoder) throws {
        let name = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .ev)
        event = ServerEvent.Name(rawValue: name) == nil ? nil : try ServerEvent(from: decoder)
    }
}

private struct ConversationVector: Decodable {
    struct Step: Decodable {
        let reply: ConversationWatchReply?
        let event: AnyEvent?
        let expect: Expectation
    }

    struct Expectation: Decodable {
        let resync: Bool
        let n: Int64?
        let messages: [Expected]?
        let ids: [MessageID]?
        let have: [String: Int]?
        let title: String?
        let members: [String: Role]?
        let over: Bool?
    }

    struct Expected: Decodable {
        let id: MessageID
        let state: MessageState?
        let text: String
    }

    let name: String
    let conversation: ConversationID
    let steps: [Step]
}

private struct ListVector: Decodable {
    struct Announcement: Decodable {
        let u: Int64
        let epoch: String?
    }

    struct Step: Decodable {
        let welcome: Announcement?
        let event: ServerEvent?
        let reply: ConversationListReply?
        let more: ConversationListReply?
        let expect: Expectation
    }

    struct Expectation: Decodable {
        struct Request: Decodable {
            let after: Int64?
        }

        let u: Int64?
        let request: Request?
        let rows: [String]
        let more: Bool?
    }

    let name: String
    let steps: [Step]
}

@Suite("The conformance vectors")
struct ConformanceTests {
    @Test("of conversations hold")
    func conversations() throws {
        for vector in try vectors("conversations", as: ConversationVector.self) {
            var view = ConversationView(vector.conversation)
            for (number, step) in vector.steps.enumerated() {
                if let reply = step.reply { _ = view.apply(reply) }
                if let event = step.event?.event { _ = view.apply(event) }
                check(view, step.expect, "\(vector.name), step \(number + 1)")
            }
        }
    }

    private func check(
        _ view: ConversationView,
        _ expected: ConversationVector.Expectation,
        _ place: String
    ) {
        #expect((view.mismatch != nil) == expected.resync, "\(place): \(view.mismatch as Any)")
        if let n = expected.n { #expect(view.lastEvent == n, "\(place)") }
        for message in expected.messages ?? [] {
            let known = view.message(message.id)
            #expect(known.map { Array($0.text.utf8) } == Array(message.text.utf8), "\(place)")
            if let state = message.state { #expect(known?.state == state, "\(place)") }
        }
        if let ids = expected.ids {
            #expect(Set(view.messages.map(\.id)) == Set(ids), "\(place)")
        }
        if let have = expected.have { #expect(view.watchRequest.have == have, "\(place)") }
        if let title = expected.title { #expect(view.conversation?.title == title, "\(place)") }
        if let members = expected.members {
            let known = view.conversation?.members.map { ("\($0.user.id)", $0.role) } ?? []
            #expect(Dictionary(uniqueKeysWithValues: known) == members, "\(place)")
        }
        if expected.over == true { #expect(view.isDeleted, "\(place)") }
    }

    @Test("of lists hold")
    func lists() throws {
        for vector in try vectors("lists", as: ListVector.self) {
            var view = ConversationListView()
            for (number, step) in vector.steps.enumerated() {
                if let welcome = step.welcome {
                    if welcome.epoch != nil { view.forgetNumbers() }
                    view.welcome(welcome.u)
                }
                if let event = step.event { _ = view.apply(event) }
                if let reply = step.reply, let request = view.resyncRequest {
                    _ = view.apply(reply, to: request)
                }
                if let more = step.more, let request = view.moreRequest {
                    _ = view.apply(more, to: request)
                }
                let place = "\(vector.name), step \(number + 1)"
                #expect(view.u == step.expect.u, "\(place)")
                #expect((view.resyncRequest == nil) == (step.expect.request == nil), "\(place)")
                #expect(view.resyncRequest?.after == step.expect.request?.after, "\(place)")
                #expect(view.conversations.map(\.title) == step.expect.rows, "\(place)")
                if let more = step.expect.more {
                    #expect((view.moreRequest != nil) == more, "\(place)")
                }
            }
        }
    }
}
