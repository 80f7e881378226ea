import ChatCore
import ChatProtocol
import ChatStore
import Testing
import Transfers

@Suite("Prompt libraries and read marks in transfers")
struct TransferMarksTests {
    private struct Scene {
        let ann: User
        let bob: User
        /// In Ann's library, with two versions.
        let prompt: PromptID
        let conversation: ConversationID
        /// The first message that Bob has not read.
        let unread: MessageID

        /// Ann and Bob chat with a system prompt of Ann's. Bob has read the beginning, is mentioned
        /// later, and has archived the conversation.
        init(_ store: Store) async throws {
            ann = try await store.someone("ann")
            bob = try await store.someone("bob")
            let made = try await store.somePrompt(by: ann)
            _ = try await store.change(made, to: "Be terse.", named: "Terse", by: ann)
            let gone = try await store.somePrompt("Be gone.", named: "Gone", by: ann)
            try await store.prompts.delete(gone.id, by: ann)
            prompt = made.id
            let tea = try await store.conversations.create(
                ConversationCreateRequest(
                    key: "k",
                    library: LibraryChoice(prompt: made.id, version: 1)
                ),
                model: "demo",
                by: ann.id
            )
            conversation = tea.id
            _ = try await store.conversations.addMember(
                MemberAddRequest(conversation: tea.id, user: "bob", role: .editor),
                by: ann.id
            )
            _ = try await store.say("one", in: tea, by: ann)
            _ = try await store.answer("yes")
            _ = try await store.lists.markRead(
                ConversationReadRequest(conversation: tea.id, n: .max),
                by: bob.id
            )
            unread = try await store.say("@bob, two?", in: tea, by: ann).message.id
            _ = try await store.answer("no")
            let away = ConversationArchiveRequest(conversation: tea.id, archived: true)
            try await store.lifeCycle.archive(away, by: bob.id)
            let pin = ConversationPinRequest(conversation: tea.id, pinned: true)
            try await store.lists.pin(pin, by: ann.id)
            for (user, name) in [(ann, "Kitchen"), (bob, "Later")] {
                let request = FolderCreateRequest(name: name)
                let folder = try await store.folders.create(request, by: user.id).id
                try await store.folders.file(
                    ConversationFileRequest(conversation: tea.id, folder: folder),
                    by: user.id
                )
                let tags = ConversationTagRequest(conversation: tea.id, tags: ["tea", name])
                _ = try await store.folders.tag(tags, by: user.id)
            }
        }
    }

    private func member(_ user: User, in records: [TransferRecord]) -> MemberRecord? {
        for case .member(let member) in records where member.user == user.id { return member }
        return nil
    }

    private func versions(
        _ prompt: PromptID,
        _ store: Store,
        _ user: User
    ) async throws -> [String] {
        let request = PromptVersionsRequest(prompt: prompt)
        return try await store.prompts.versions(request, limit: 10, for: user.id).versions.map(
            \.text
        )
    }

    @Test("everything is imported, and a repeated import creates nothing")
    func roundTrip() async throws {
        let (first, scene) = try await withStore { store, _ in
            let scene = try await Scene(store)
            return (try await store.exported(), scene)
        }
        #expect(first.end?.counts[.prompt] == 1)
        #expect(first.end?.counts[.promptVersion] == 2)
        #expect(member(scene.bob, in: first.records)?.firstUnread == scene.unread)
        #expect(member(scene.bob, in: first.records)?.archivedAt != nil)
        #expect(member(scene.ann, in: first.records)?.archivedAt == nil)
        #expect(member(scene.ann, in: first.records)?.pinnedAt != nil)
        #expect(member(scene.bob, in: first.records)?.pinnedAt == nil)
        #expect(member(scene.bob, in: first.records)?.folder == "Later")
        #expect(member(scene.bob, in: first.records)?.tags == ["Later", "tea"])
        try await withStore { store, _ in
            let report = try await store.imported(first.records)
            #expect(report.skipped.count == 0)
            #expect(report.changed.count == 0)
            #expect(report.created[.promptVersion] == 2)
            let second = try await store.exported()
            #expect(second.end?.contentSHA256 == first.end?.contentSHA256)
            let page = try await store.lists.conversations(
                of: scene.bob.id,
                cursor: nil,
                limit: 9,
                archived: true
            )
            let seen = try #require(page.conversations.first)
            #expect(seen.unread == 2)
            #expect(seen.mentions == 1)
            let pinned = try await store.lists.conversations(
                of: scene.ann.id,
                cursor: nil,
                limit: 9
            )
            #expect(pinned.conversations.map(\.pinned) == [true])
            let folders = try await store.folders.list(of: scene.ann.id)
            #expect(folders.map(\.name) == ["Kitchen"])
            #expect(pinned.conversations.map(\.folder) == folders.map(\.id))
            #expect(pinned.conversations.map(\.tags) == [["Kitchen", "tea"]])
            // A client that follows the list gets the folder and then its conversation.
            let changes = try await store.changes(scene.ann, after: 0)
            #expect(changes.map(\.u) == [1, 2])
            #expect(changes.last?.summary?.folder == folders.first?.id)
            let library = try await store.prompts.list(of: nil, for: scene.ann.id)
            #expect(library.map(\.name) == ["Terse"])
            let again = try await store.imported(first.records)
            #expect(again.created == TransferCounts())
            #expect(again.found[.promptVersion] == 2)
        }
    }

    @Test("a team's library is imported, and that its conversation is open")
    func team() async throws {
        let first = try await withStore { store, _ in
            let team = try await store.someTeam()
            _ = try await store.somePrompt(in: team.id, by: team.member)
            _ = try await store.openConversation(of: team.id, by: team.owner)
            return try await store.exported()
        }
        #expect(first.end?.counts[.prompt] == 1)
        let open = first.records.contains { record in
            guard case .conversation(let conversation) = record else { return false }
            return conversation.isOpen == true
        }
        #expect(open)
        try await withStore { store, _ in
            let report = try await store.imported(first.records)
            #expect(report.skipped.count == 0)
            let second = try await store.exported()
            #expect(second.end?.contentSHA256 == first.end?.contentSHA256)
        }
    }

    @Test("in an import into a user's account, prompts become the user's own")
    func ownAccount() async throws {
        try await withStore { store, _ in
            let scene = try await Scene(store)
            let file = try await store.exported(.user(scene.ann.id), by: .user(scene.ann.id))
            #expect(file.end?.counts[.prompt] == 1)
            // Other members' read marks are not exported.
            #expect(member(scene.bob, in: file.records)?.firstUnread == nil)
            #expect(member(scene.bob, in: file.records)?.archivedAt == nil)
            #expect(member(scene.bob, in: file.records)?.folder == nil)
            #expect(member(scene.bob, in: file.records)?.tags == nil)
            #expect(member(scene.ann, in: file.records)?.folder == "Kitchen")
            let eve = try await store.someone("eve")
            let report = try await store.imported(file.records, as: .user(eve))
            #expect(report.created[.prompt] == 1)
            let library = try await store.prompts.list(of: nil, for: eve.id)
            let copy = try #require(library.first)
            #expect(copy.id != scene.prompt)
            #expect(try await versions(copy.id, store, eve) == ["Be terse.", "Be brief."])
            let list = try await store.lists.conversations(of: eve.id, cursor: nil, limit: 9)
            let imported = try #require(list.conversations.first).id
            // Folder and tags are another account's, as pins are.
            #expect(list.conversations.first?.tags == nil)
            #expect(try await store.folders.list(of: eve.id).isEmpty)
            let whole = try await store.conversations.conversation(imported, for: eve.id)
            let taken = LibraryVersion(prompt: copy.id, version: 1, name: "Brief")
            #expect(whole.systemPromptVersion?.library == taken)
            let again = try await store.imported(file.records, as: .user(eve))
            #expect(again.created == TransferCounts())
            #expect(try await store.prompts.list(of: nil, for: eve.id).count == 1)
            // Ann has her prompt already.
            let own = try await store.imported(file.records, as: .user(scene.ann))
            #expect(own.found[.prompt] == 1)
        }
    }

    @Test("an import interrupted within a prompt shows none, and the next completes it")
    func cutOff() async throws {
        try await withStore { store, _ in
            let eve = try await store.someone("eve")
            let time = Timestamp(milliseconds: 1_700_000_000_000)
            let id = PromptID.make()
            func version(_ number: Int, _ text: String) -> TransferRecord {
                .promptVersion(
                    PromptVersionRecord(
                        prompt: id,
                        version: number,
                        name: "Kind",
                        text: text,
                        createdAt: time
                    )
                )
            }
            let prompt = TransferRecord.prompt(PromptRecord(id: id, owner: eve.id))
            let load = TransferImport(into: store.transfers, as: .user(eve), defaultModel: "demo")
            for record in [prompt, version(1, "Be kind.")] { try await load.load(record) }
            #expect(try await store.prompts.list(of: nil, for: eve.id).isEmpty)
            let records = [prompt, version(1, "Be kind."), version(2, "Be kinder.")]
            let report = try await store.imported(records, as: .user(eve))
            #expect(report.created[.promptVersion] == 2)
            #expect(try await versions(id, store, eve) == ["Be kinder.", "Be kind."])
            // A prompt deleted since is restored; versions out of sequence are not imported.
            try await store.prompts.delete(id, by: eve)
            let back = try await store.imported(records, as: .user(eve))
            #expect(back.created[.prompt] == 1)
            #expect(try await store.prompts.list(of: nil, for: eve.id).map(\.id) == [id])
            let torn = try await store.imported(
                [.prompt(PromptRecord(id: .make(), owner: eve.id)), version(2, "Be torn.")],
                as: .user(eve)
            )
            #expect(torn.created == TransferCounts())
            #expect(torn.skipped.count == 2)
            #expect(try await store.prompts.list(of: nil, for: eve.id).count == 1)
        }
    }
}
