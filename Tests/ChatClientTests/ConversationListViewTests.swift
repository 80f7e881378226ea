// A list assembled from messages that arrive in any order, some of them lost.

import ChatClient
import ChatProtocol
import EventLoop
import TestSupport
import Testing

/// A server's list: its rows, and the events of its changes.
private struct ScriptedList {
    private(set) var u: Int64 = 0
    private(set) var summaries: [ConversationID: Conversation] = [:]
    private var gone: [ConversationID: Int64] = [:]
    private(set) var events: [ServerEvent] = []
    private var told: Int64 = 0

    func summary(_ id: ConversationID, _ title: String) -> Conversation {
        Conversation(
            id: id,
            title: title,
            systemPrompt: nil,
            model: "demo",
            role: .owner,
            members: [],
            settings: GenerationSettings(),
            n: u,
            createdAt: Timestamp(milliseconds: 0),
            updatedAt: Timestamp(milliseconds: 1_700_000_000_000 + u),
            u: u,
            unread: 0,
            running: 0
        )
    }

    /// Creates or changes a conversation.
    mutating func put(_ id: ConversationID, _ title: String) {
        u += 1
        gone[id] = nil
        let summary = summary(id, title)
        summaries[id] = summary
        events.append(
            .conversationListed(
                ConversationListed(conversation: id, u: u, after: told, summary: summary)
            )
        )
        told = u
    }

    mutating func drop(_ id: ConversationID) {
        u += 1
        summaries[id] = nil
        gone[id] = u
        events.append(
            .conversationUnlisted(ConversationUnlisted(conversation: id, u: u, after: told))
        )
        told = u
    }

    /// The rows, newest first.
    var rows: [Conversation] {
        summaries.values.sorted { $0.updatedAt > $1.updatedAt }
    }

    func reply(to request: ConversationListRequest) -> ConversationListReply {
        guard let after = request.after else {
            let page = Array(rows.prefix(request.limit ?? 50))
            let isAll = page.count == rows.count
            return ConversationListReply(
                conversations: page,
                cursor: isAll ? nil : "more",
                u: u
            )
        }
        return ConversationListReply(
            conversations: rows.filter { ($0.u ?? 0) > after },
            u: u,
            unlisted: gone.filter { $0.value > after }.map { id, u in
                UnlistedConversation(conversation: id, u: u)
            }
        )
    }
}

@Suite("A list of conversations")
struct ConversationListViewTests {
    private let tea = ConversationID.make()
    private let milk = ConversationID.make()

    private func loaded(_ list: ScriptedList, pageLimit: Int = 50) throws -> ConversationListView {
        var view = ConversationListView(pageLimit: pageLimit)
        view.welcome(list.u)
        let request = try #require(view.resyncRequest)
        _ = view.apply(list.reply(to: request), to: request)
        return view
    }

    @Test("is loaded by a page, kept up to date by events, and needs no further request")
    func events() throws {
        var list = ScriptedList()
        list.put(tea, "Tea")
        list.put(milk, "Milk")
        var view = try loaded(list)
        #expect(view.conversations.map(\.title) == ["Milk", "Tea"])
        list.put(tea, "Green tea")
        list.drop(milk)
        #expect(view.apply(list.events[2]) == [.listed(tea)])
        #expect(view.conversations.map(\.title) == ["Green tea", "Milk"])
        #expect(view.apply(list.events[3]) == [.unlisted(milk)])
        #expect(view.conversations == list.rows)
        #expect(view.resyncRequest == nil)
        #expect(view.apply(list.events[2]) == [], "a repeat changes nothing")
    }

    @Test("detects a missing number, and requests the changes after its last one")
    func gap() throws {
        var list = ScriptedList()
        list.put(tea, "Tea")
        var view = try loaded(list)
        list.put(milk, "Milk")
        list.put(tea, "Green tea")
        _ = view.apply(list.events[2])
        #expect(view.conversations.map(\.title) == ["Green tea"])
        let request = try #require(view.resyncRequest)
        #expect(request.after == 1)
        _ = view.apply(list.reply(to: request), to: request)
        #expect(view.conversations == list.rows)
        #expect(view.resyncRequest == nil)
        #expect(view.u == 3)
    }

    @Test("requests what it missed while disconnected, if anything")
    func away() throws {
        var list = ScriptedList()
        list.put(tea, "Tea")
        var view = try loaded(list)
        view.welcome(1)
        #expect(view.resyncRequest == nil)
        list.drop(tea)
        list.put(milk, "Milk")
        view.welcome(3)
        let request = try #require(view.resyncRequest)
        #expect(request.after == 1)
        _ = view.apply(list.reply(to: request), to: request)
        #expect(view.conversations == list.rows)
    }

    @Test("a page that was read before a conversation left does not restore it")
    func latePage() throws {
        var list = ScriptedList()
        for number in 0..<3 { list.put(.make(), "\(number)") }
        list.put(milk, "Milk")
        let (old, request) = (list, ConversationListRequest(limit: 50))
        var view = ConversationListView()
        view.welcome(list.u)
        list.drop(milk)
        _ = view.apply(list.events[4])
        _ = view.apply(old.reply(to: request), to: request)
        #expect(view.conversations == list.rows)
        #expect(view.u == 5)
        #expect(view.resyncRequest == nil)
    }

    @Test("rows beyond the loaded pages appear with their page")
    func pages() throws {
        var list = ScriptedList()
        for number in 0..<5 { list.put(.make(), "\(number)") }
        var view = try loaded(list, pageLimit: 2)
        #expect(view.conversations.map(\.title) == ["4", "3"])
        let more = try #require(view.moreRequest)
        let page = ConversationListReply(conversations: Array(list.rows[2...]), u: list.u)
        _ = view.apply(page, to: more)
        #expect(view.conversations == list.rows)
        #expect(view.moreRequest == nil)
    }

    @Test("a reset replaces everything except newer changes")
    func reset() throws {
        var list = ScriptedList()
        list.put(tea, "Tea")
        var view = try loaded(list)
        list.drop(tea)
        var reply = ConversationListReply(conversations: [], u: 2, unlisted: [], reset: true)
        list.put(milk, "Milk")
        _ = view.apply(list.events[2])
        let request = try #require(view.resyncRequest)
        #expect(view.apply(reply, to: request) == [.reloaded])
        #expect(view.conversations == list.rows)
        #expect(view.u == 3)
        // The numbers of the new epoch start again, below ours.
        view.forgetNumbers()
        view.welcome(1)
        let first = try #require(view.resyncRequest)
        #expect(first.after == nil)
        reply = ConversationListReply(conversations: [list.summary(tea, "Old tea")], u: 1)
        _ = view.apply(reply, to: first)
        #expect(view.conversations.map(\.title) == ["Old tea"])
        #expect(view.u == 1)
    }

    @Test(
        "converges to the server's list under loss, duplication and reordering",
        arguments: 1...20 as ClosedRange<UInt64>
    )
    func property(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let ids = (0..<6).map { _ in ConversationID.make() }
        var list = ScriptedList()
        for id in ids.prefix(3) { list.put(id, "first") }
        var view = try loaded(list)
        var late: [(ConversationListReply, ConversationListRequest)] = []
        for step in 0..<60 {
            let id = ids.randomElement(using: &generator) ?? tea
            if list.summaries[id] != nil, Int.random(in: 0..<4, using: &generator) == 0 {
                list.drop(id)
            } else {
                list.put(id, "\(step)")
            }
            for event in list.events.suffix(4).shuffled(using: &generator).prefix(2) {
                _ = view.apply(event)
            }
            // A reply is read now, and arrives later.
            if let request = view.resyncRequest, Bool.random(using: &generator) {
                late.append((list.reply(to: request), request))
            }
            if Int.random(in: 0..<3, using: &generator) == 0, let (reply, request) = late.first {
                late.removeFirst()
                _ = view.apply(reply, to: request)
            }
        }
        view.welcome(list.u)
        while let request = view.resyncRequest {
            _ = view.apply(list.reply(to: request), to: request)
        }
        for (reply, request) in late { _ = view.apply(reply, to: request) }
        #expect(view.conversations == list.rows)
        #expect(view.u == list.u)
    }
}

@Suite("Following the list", .timeLimit(.minutes(1)))
struct ConversationListFollowerTests {
    @Test("loads a page, and after a reconnect requests the changes after its number")
    func reconnect() async throws {
        try await withServer { server, client in
            var list = ScriptedList()
            let (tea, milk) = (ConversationID.make(), ConversationID.make())
            list.put(tea, "Tea")
            var afters: [Int64?] = []
            server.listPosition = 1
            server.onRequest = { request, peer in
                guard let body = request.body(of: .conversationList) else { return }
                afters.append(body.after)
                peer.reply(request, list.reply(to: body))
            }
            var peers: [ScriptedPeer] = []
            server.onConnection = { peers.append($0) }
            client.start()
            let follower = client.followList()
            _ = try await follower.wait(within: .seconds(20)) { $0.conversations.count == 1 }
            list.put(milk, "Milk")
            list.put(tea, "Green tea")
            server.listPosition = 3
            peers[0].abort()
            let view = try await follower.wait(within: .seconds(20)) { $0.u == 3 }
            #expect(view.conversations == list.rows)
            list.put(milk, "Warm milk")
            peers.last?.send(list.events[3])
            _ = try await follower.wait(within: .seconds(20)) { $0[milk]?.title == "Warm milk" }
            #expect(afters == [nil, 1])
        }
    }
}
