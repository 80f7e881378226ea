import ChatProtocol
import ChatStore
import EventLoop
import TestSupport
import Testing

extension Store {
    fileprivate func folder(_ name: String, of user: User) async throws -> Folder {
        try await folders.create(FolderCreateRequest(name: name), by: user.id)
    }

    fileprivate func file(
        _ conversation: Conversation,
        in folder: FolderID?,
        by user: User
    ) async throws {
        let request = ConversationFileRequest(conversation: conversation.id, folder: folder)
        try await folders.file(request, by: user.id)
    }

    fileprivate func names(of user: User) async throws -> [String] {
        try await folders.list(of: user.id).map(\.name)
    }

    fileprivate func titles(of user: User, in folder: FolderID) async throws -> [ConversationID] {
        try await lists.conversations(of: user.id, cursor: nil, limit: 50, folder: folder)
            .conversations.map(\.id)
    }
}

@Suite("Folders")
struct FolderTests {
    @Test("hold conversations of their owner's list, and of nobody else's")
    func personal() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let tea = try await store.shared(ann, bob)
            let milk = try await store.shared(ann, bob)
            let kitchen = try await store.folder("Kitchen", of: ann)
            let u = try await store.lists.position(of: ann.id)
            let others = try await store.lists.position(of: bob.id)
            for _ in 0..<2 { try await store.file(tea, in: kitchen.id, by: ann) }
            #expect(try await store.listed(tea, of: ann)?.folder == kitchen.id)
            #expect(try await store.listed(milk, of: ann)?.folder == nil)
            #expect(try await store.listed(tea, of: bob)?.folder == nil)
            #expect(try await store.titles(of: ann, in: kitchen.id) == [tea.id])
            #expect(try await store.titles(of: bob, in: kitchen.id).isEmpty)

            // Ann's other devices get one change; Bob's list has none.
            let changes = try await store.lists.changes(of: [ann.id: u, bob.id: others], limit: 9)
            #expect(changes.map(\.u) == [u + 1])
            #expect(changes.first?.summary?.folder == kitchen.id)

            try await store.file(tea, in: nil, by: ann)
            #expect(try await store.listed(tea, of: ann)?.folder == nil)
            let found = await refusal { try await store.file(tea, in: kitchen.id, by: bob) }
            #expect(found == .notFound)
            let stranger = try await store.someone()
            #expect(await refusal { try await store.file(tea, in: nil, by: stranger) } == .notFound)
        }
    }

    @Test("are created once for each name, renamed, and sent as a whole")
    func names() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let cafe = try await store.folder("Cafe\u{301}", of: ann)
            #expect(Array(cafe.name.unicodeScalars) == Array("Caf\u{E9}".unicodeScalars))
            #expect(try await store.folder("CAF\u{C9}", of: ann) == cafe)
            let u = try await store.lists.position(of: ann.id)
            #expect(u == 1)
            let bakery = try await store.folder("bakery", of: ann)
            #expect(try await store.names(of: ann) == ["bakery", "Caf\u{E9}"])
            let renamed = try await store.folders.rename(
                FolderRenameRequest(folder: cafe.id, name: "Attic"),
                by: ann.id
            )
            #expect(renamed == Folder(id: cafe.id, name: "Attic"))
            let taken = await refusal {
                _ = try await store.folders.rename(
                    FolderRenameRequest(folder: cafe.id, name: "Bakery"),
                    by: ann.id
                )
            }
            #expect(taken == .conflict)
            // Only the last change of the folders is sent.
            let changes = try await store.changes(ann, after: 0)
            #expect(changes.map(\.u) == [u + 2])
            guard case .folders(let all) = changes.first?.subject else {
                Issue.record("\(changes)")
                return
            }
            #expect(all == [renamed, bakery])
            let reply = try await store.lists.changes(
                of: ann.id,
                after: u,
                changeLimit: 9,
                pageLimit: 9
            )
            #expect(reply.folders == all && reply.reset == nil && reply.u == u + 2)
            let reset = try await store.lists.changes(
                of: ann.id,
                after: -1,
                changeLimit: 9,
                pageLimit: 9
            )
            #expect(reset.folders == all && reset.reset == true)
            let eve = try await store.someone()
            let found = await refusal {
                _ = try await store.folders.rename(
                    FolderRenameRequest(folder: cafe.id, name: "Mine"),
                    by: eve.id
                )
            }
            #expect(found == .notFound)
        }
    }

    @Test("leave their conversations in the list when they are deleted")
    func deletion() async throws {
        try await withStore { store, _ in
            let (ann, eve) = (try await store.someone(), try await store.someone())
            let kitchen = try await store.folder("Kitchen", of: ann)
            let (tea, milk) = (
                try await store.someConversation(of: ann), try await store.someConversation(of: ann)
            )
            for conversation in [tea, milk] {
                try await store.file(conversation, in: kitchen.id, by: ann)
            }
            let u = try await store.lists.position(of: ann.id)
            let found = await refusal { try await store.folders.delete(kitchen.id, by: eve.id) }
            #expect(found == .notFound)
            try await store.folders.delete(kitchen.id, by: ann.id)
            #expect(try await store.names(of: ann).isEmpty)
            // Each conversation changes, and then the folders.
            let changes = try await store.changes(ann, after: u)
            #expect(changes.map(\.u) == [u + 1, u + 2, u + 3])
            #expect(Set(changes.compactMap(\.conversation)) == [tea.id, milk.id])
            #expect(changes.compactMap(\.summary).allSatisfy { $0.folder == nil })
            #expect(try await store.list(of: ann).count == 2)
            let again = await refusal { try await store.folders.delete(kitchen.id, by: ann.id) }
            #expect(again == .notFound)
        }
    }

    @Test("are so many at most, also of those that are created at once")
    func limit() async throws {
        try await withStore { store, loop in
            let ann = try await store.someone()
            for number in 1..<FolderStore.foldersMax {
                _ = try await store.folder("\(number)", of: ann)
            }
            var codes: [ErrorCode?] = []
            let tasks = ["one", "two"].map { name in
                loop.spawn {
                    codes.append(await refusal { _ = try await store.folder(name, of: ann) })
                }
            }
            for task in tasks { await task.wait() }
            #expect(codes.count { $0 == nil } == 1 && codes.count { $0 == .limitExceeded } == 1)
            #expect(try await store.names(of: ann).count == FolderStore.foldersMax)
            // One that exists is no new one.
            _ = try await store.folder("1", of: ann)
        }
    }

    @Test("stay with a conversation that is archived, and end with a membership")
    func marks() async throws {
        try await withStore { store, _ in
            let (ann, bob) = (try await store.someone(), try await store.someone())
            let tea = try await store.shared(ann, bob)
            let kitchen = try await store.folder("Kitchen", of: bob)
            try await store.file(tea, in: kitchen.id, by: bob)
            let archive = ConversationArchiveRequest(conversation: tea.id, archived: true)
            try await store.lifeCycle.archive(archive, by: bob.id)
            let page = try await store.lists.conversations(
                of: bob.id,
                cursor: nil,
                limit: 9,
                archived: true,
                folder: kitchen.id
            )
            #expect(page.conversations.map(\.folder) == [kitchen.id])
            #expect(try await store.titles(of: bob, in: kitchen.id).isEmpty)
            for isMember in [false, true] {
                if isMember {
                    _ = try await store.conversations.addMember(
                        MemberAddRequest(conversation: tea.id, user: bob.name, role: .editor),
                        by: ann.id
                    )
                } else {
                    _ = try await store.conversations.removeMember(
                        MemberRemoveRequest(conversation: tea.id, user: bob.id),
                        by: ann.id
                    )
                }
            }
            #expect(try await store.listed(tea, of: bob)?.folder == nil)
        }
    }
}
