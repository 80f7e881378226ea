import ChatProtocol
import ChatStore
import EventLoop
import Testing

extension Store {
    @discardableResult
    fileprivate func tag(
        _ conversation: Conversation,
        _ tags: [String],
        by user: User
    ) async throws -> [String] {
        let request = ConversationTagRequest(conversation: conversation.id, tags: tags)
        return try await folders.tag(request, by: user.id)
    }
}

@Suite("Tags")
struct TagTests {
    @Test("are a set of each member's own, counted and listed by name")
    func personal() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let (tea, milk) = (try await store.shared(ann, bob), try await store.shared(ann, bob))
            let u = try await store.lists.position(of: ann.id)
            for _ in 0..<2 {
                let tags = try await store.tag(tea, ["to read", "Green", "to read"], by: ann)
                #expect(tags == ["Green", "to read"])
            }
            #expect(try await store.lists.position(of: ann.id) == u + 1)
            try await store.tag(milk, ["Green"], by: ann)
            #expect(try await store.listed(tea, of: ann)?.tags == ["Green", "to read"])
            #expect(try await store.listed(tea, of: bob)?.tags == nil)
            let expected = [
                Tag(name: "Green", conversations: 2), Tag(name: "to read", conversations: 1),
            ]
            #expect(try await store.folders.tags(of: ann.id) == expected)
            #expect(try await store.folders.tags(of: bob.id).isEmpty)
            let page = try await store.lists.conversations(
                of: ann.id,
                cursor: nil,
                limit: 9,
                tag: "to read"
            )
            #expect(page.conversations.map(\.id) == [tea.id])
            try await store.tag(tea, [], by: ann)
            #expect(try await store.listed(tea, of: ann)?.tags == nil)
            let stranger = try await store.someone()
            #expect(await refusal { try await store.tag(tea, ["x"], by: stranger) } == .notFound)
        }
    }

    @Test("that look the same are the same")
    func normalized() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let tea = try await store.someConversation(of: ann)
            let tags = try await store.tag(tea, ["Cafe\u{301}", "Caf\u{E9}"], by: ann)
            #expect(tags.map { Array($0.unicodeScalars) } == [Array("Caf\u{E9}".unicodeScalars)])
            for tag in ["Cafe\u{301}", "Caf\u{E9}"] {
                let page = try await store.lists.conversations(
                    of: ann.id,
                    cursor: nil,
                    limit: 9,
                    tag: tag
                )
                #expect(page.conversations.map(\.id) == [tea.id])
            }
        }
    }

    @Test("are so many different ones at most")
    func limit() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            var last: Conversation?
            for start in stride(from: 0, to: FolderStore.tagsMax, by: 20) {
                let conversation = try await store.someConversation(of: ann)
                try await store.tag(conversation, (start..<start + 20).map { "\($0)" }, by: ann)
                last = conversation
            }
            let tea = try await store.someConversation(of: ann)
            #expect(await refusal { try await store.tag(tea, ["new"], by: ann) } == .limitExceeded)
            #expect(try await store.listed(tea, of: ann)?.tags == nil)
            try await store.tag(tea, ["1"], by: ann)
            // A conversation that is gone makes room.
            _ = try await store.conversations.delete(try #require(last).id, by: ann.id)
            try await store.tag(tea, ["new"], by: ann)
        }
    }

    @Test("and folders restrict a search")
    func search() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let (tea, milk) = (
                try await store.someConversation(of: ann), try await store.someConversation(of: ann)
            )
            for conversation in [tea, milk] {
                _ = try await store.say("a warm cup", in: conversation, by: ann)
            }
            let folder = try await store.folders.create(
                FolderCreateRequest(name: "Kitchen"),
                by: ann.id
            ).id
            try await store.folders.file(
                ConversationFileRequest(conversation: milk.id, folder: folder),
                by: ann.id
            )
            try await store.tag(tea, ["green"], by: ann)
            func found(
                folder: FolderID? = nil,
                tag: String? = nil
            ) async throws -> [ConversationID] {
                let request = SearchRequest(query: "warm cup", folder: folder, tag: tag)
                return try await store.search.page(request, for: ann.id, limit: 9).results
                    .map(\.conversation)
            }
            #expect(try await found().count == 2)
            #expect(try await found(folder: folder) == [milk.id])
            #expect(try await found(tag: "green") == [tea.id])
            #expect(try await found(folder: folder, tag: "green").isEmpty)
        }
    }
}
