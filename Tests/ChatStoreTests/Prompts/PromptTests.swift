import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import Testing

@Suite("Prompt libraries")
struct PromptTests {
    @Test("a prompt has versions with names and authors; a change adds one")
    func versions() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let made = try await store.somePrompt(in: team.id, by: team.member)
            #expect(made.team == team.id)
            #expect((made.name, made.version, made.bytes) == ("Brief", 1, 9))
            let second = try await store.change(made, to: "Be terse.", by: team.admin)
            #expect((second.name, second.version) == ("Brief", 2))
            #expect(second.author?.id == team.admin.id)
            let third = try await store.change(
                second,
                to: "Be terse.",
                named: "Terse",
                by: team.owner
            )
            #expect((third.name, third.version) == ("Terse", 3))
            let same = try await store.change(third, to: "Be terse.", by: team.member)
            #expect(same.version == 3, "nothing changed")
            let versions = try await store.versions(made, for: team.viewer)
            #expect(versions.map(\.version) == [3, 2, 1])
            #expect(versions.map(\.name) == ["Terse", "Brief", "Brief"])
            #expect(versions.map(\.text) == ["Be terse.", "Be terse.", "Be brief."])
            #expect(
                versions.map(\.author?.id) == [team.owner.id, team.admin.id, team.member.id]
            )
            let page = try await store.prompts.versions(
                PromptVersionsRequest(prompt: made.id, before: 3),
                limit: 1,
                for: team.member.id
            )
            #expect(page.versions.map(\.version) == [2])
            #expect(page.more)
        }
    }

    @Test("a library is listed by name, without deleted prompts, whose versions stay")
    func listing() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            var prompts: [LibraryPrompt] = []
            for name in ["cake", "Bread", "apple"] {
                prompts.append(
                    try await store.somePrompt(named: name, in: team.id, by: team.member)
                )
            }
            _ = try await store.somePrompt(named: "mine", by: team.member)
            func names(_ team: TeamID?, _ user: User) async throws -> [String] {
                try await store.prompts.list(of: team, for: user.id).map(\.name)
            }
            #expect(try await names(team.id, team.viewer) == ["apple", "Bread", "cake"])
            #expect(try await names(nil, team.member) == ["mine"])
            #expect(try await names(nil, team.owner).isEmpty)
            for _ in 0..<2 { try await store.prompts.delete(prompts[1].id, by: team.admin) }
            #expect(try await names(team.id, team.viewer) == ["apple", "cake"])
            #expect(try await store.versions(prompts[1], for: team.viewer).count == 1)
            #expect(
                await refusal {
                    _ = try await store.change(prompts[1], to: "again", by: team.admin)
                } == .notFound
            )
        }
    }

    @Test("members edit a team's library, viewers read it, others cannot see it")
    func rights() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let stranger = try await store.someone()
            let prompt = try await store.somePrompt(in: team.id, by: team.member)
            func codes(_ user: User) async -> [ErrorCode?] {
                [
                    await refusal { _ = try await store.prompts.list(of: team.id, for: user.id) },
                    await refusal { _ = try await store.versions(prompt, for: user) },
                    await refusal { _ = try await store.somePrompt(in: team.id, by: user) },
                    await refusal {
                        _ = try await store.change(prompt, to: "Be brief.", by: user)
                    },
                ]
            }
            for user in [team.owner, team.admin, team.member] {
                #expect(await codes(user) == [nil, nil, nil, nil])
            }
            #expect(await codes(team.viewer) == [nil, nil, .forbidden, .forbidden])
            #expect(await codes(stranger) == [.notFound, .notFound, .notFound, .notFound])
            #expect(
                await refusal { try await store.prompts.delete(prompt.id, by: team.viewer) }
                    == .forbidden
            )
            #expect(
                await refusal { try await store.prompts.delete(prompt.id, by: stranger) }
                    == .notFound
            )
            // A user who leaves the team loses access; one who becomes a viewer can still read.
            try await store.make(team.admin, .viewer, in: team.id, by: team.owner)
            #expect(await codes(team.admin) == [nil, nil, .forbidden, .forbidden])
            _ = try await store.remove(team.member, from: team.id, by: team.owner)
            #expect(await codes(team.member) == [.notFound, .notFound, .notFound, .notFound])
        }
    }

    @Test("a user's own library is invisible to others, whatever their role")
    func own() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let prompt = try await store.somePrompt(by: team.member)
            #expect(prompt.team == nil)
            let changed = try await store.change(prompt, to: "Be kind.", by: team.member)
            #expect(changed.version == 2)
            #expect(
                await refusal { _ = try await store.versions(prompt, for: team.owner) }
                    == .notFound
            )
            #expect(
                await refusal {
                    _ = try await store.change(prompt, to: "Be mine.", after: 2, by: team.owner)
                } == .notFound
            )
            try await store.prompts.delete(prompt.id, by: team.member)
            #expect(try await store.prompts.list(of: nil, for: team.member.id).isEmpty)
        }
    }

    @Test("of concurrent changes to the same version one succeeds", arguments: 0..<5)
    func races(round: Int) async throws {
        try await withStore { store, loop in
            let team = try await store.someTeam()
            let prompt = try await store.somePrompt(in: team.id, by: team.member)
            var codes: [ErrorCode?] = []
            let tasks = team.everybody.dropLast().map { user in
                loop.spawn {
                    let code = await refusal {
                        _ = try await store.change(prompt, to: "by \(user.name)", by: user)
                    }
                    codes.append(code)
                }
            }
            for task in tasks { await task.wait() }
            #expect(codes.filter { $0 == nil }.count == 1)
            #expect(codes.filter { $0 == .conflict }.count == 2)
            let versions = try await store.versions(prompt, for: team.viewer)
            #expect(versions.map(\.version) == [2, 1])
            #expect(versions.first?.text == versions.first?.author.map { "by \($0.name)" })
        }
    }

    @Test("a request repeated after a lost reply is executed once")
    func repetition() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            let request = PromptCreateRequest(key: "k", name: "Brief", text: "Be brief.")
            let made = try await store.prompts.create(request, by: ann)
            #expect(try await store.prompts.create(request, by: ann) == made)
            #expect(try await store.prompts.list(of: nil, for: ann.id) == [made])
            var other = request
            other.text = "Be long."
            #expect(
                await refusal { _ = try await store.prompts.create(other, by: ann) } == .conflict
            )
            let changed = try await store.change(made, to: "Be terse.", by: ann)
            #expect(try await store.change(made, to: "Be terse.", by: ann) == changed)
            #expect(
                await refusal { _ = try await store.change(made, to: "Be long.", by: ann) }
                    == .conflict
            )
        }
    }

    @Test("a full library accepts no prompts until one is deleted", .timeLimit(.minutes(2)))
    func bound() async throws {
        try await withStore { store, _ in
            let ann = try await store.someone()
            var last: LibraryPrompt?
            for _ in 0..<PromptStore.promptsMax { last = try await store.somePrompt(by: ann) }
            #expect(
                await refusal { _ = try await store.somePrompt(by: ann) } == .limitExceeded
            )
            try await store.prompts.delete(try #require(last).id, by: ann)
            _ = try await store.somePrompt(by: ann)
            #expect(
                try await store.prompts.list(of: nil, for: ann.id).count == PromptStore.promptsMax
            )
        }
    }

    @Test("changes of a team's library are audited, those of users' own are not")
    func audit() async throws {
        try await withStore { store, _ in
            let team = try await store.someTeam()
            let prompt = try await store.somePrompt(in: team.id, by: team.member)
            _ = try await store.change(prompt, to: "Be terse.", by: team.admin)
            try await store.prompts.delete(prompt.id, by: team.owner)
            _ = try await store.somePrompt(named: "mine", by: team.owner)
            let request = AuditListRequest(action: "prompt", team: team.id)
            let log = try await store.audit.entries(request, limit: 10).entries
            #expect(log.map(\.action) == ["prompt.deleted", "prompt.updated", "prompt.created"])
            #expect(log.allSatisfy { $0.object == prompt.id.description })
        }
    }
}
