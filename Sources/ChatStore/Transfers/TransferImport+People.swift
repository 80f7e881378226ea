// Users and teams of an import. In one's own account nobody is added: others stay as names. In an import
// of everything they are added, disabled and without a password, unless they are there by their id.

import ChatProtocol
import Postgres
import Transfers

extension TransferImport {
    func add(_ user: UserRecord) async throws {
        guard knownUsers.count + names.count + users.count < limits.users else {
            throw TransferError.limitExceeded("the file has more than \(limits.users) users")
        }
        var user = user
        user.name = ImportedText(user.name, atMost: 200).text
        if let importer = owner.user {
            guard user.id != importer.id else { return }
            names[user.id] = user.name
            report.changed.note("user \(user.id)", ImportReason.nameOnly)
            return
        }
        users.append(user)
        if users.count >= 500 { try await flushUsers() }
    }

    /// Adds the users that were read and are not there.
    func flushUsers() async throws {
        guard !users.isEmpty else { return }
        let batch = users
        users = []
        let rows = try await store.pool.query(
            """
            SELECT id, lower(name) AS name FROM users
            WHERE id = ANY ($1) OR lower(name) = ANY ($2) AND deleted_at IS NULL
            """,
            [.uuidArray(batch.map(\.id.uuid)), .textArray(batch.map { $0.name.lowercased() })]
        )
        let there = Set(try rows.map { try $0.id("id", of: User.self) })
        var takenNames = Set(try rows.map { try $0.decode("name", as: String.self) })
        for user in batch {
            guard !there.contains(user.id), !knownUsers.contains(user.id) else {
                report.found[.user] += 1
                knownUsers.insert(user.id)
                continue
            }
            var name = String(user.name.prefix(64))
            if name.isEmpty || takenNames.contains(name.lowercased()) {
                name = "\(name.prefix(50))-\("\(user.id)".suffix(12))"
                report.changed.note("user \(user.id)", ImportReason.nameTaken)
            }
            takenNames.insert(name.lowercased())
            if try await insert(UserRecord(id: user.id, name: name)) {
                knownUsers.insert(user.id)
                report.created[.user] += 1
            }
        }
    }

    private func insert(_ user: UserRecord) async throws -> Bool {
        guard !isDryRun else { return true }
        // No password hashes to this.
        let rows = try await store.pool.query(
            """
            INSERT INTO users (id, name, password_hash, disabled_at) VALUES ($1, $2, 'none', now())
            ON CONFLICT DO NOTHING
            """,
            [.uuid(user.id), .text(user.name)]
        )
        return rows.affectedRowCount == 1
    }

    func add(_ team: TeamRecord) async throws {
        try await flushUsers()
        guard owner.user == nil else { return }
        let rows = try await store.pool.query(
            "SELECT id = $1 FROM teams WHERE id = $1 OR lower(name) = lower($2)",
            [.uuid(team.id), .text(ImportedText(team.name, atMost: 200).text)]
        )
        let isThere = try rows.contains { try $0.decode(as: Bool.self) }
        guard !isThere else {
            report.found[.team] += 1
            return
        }
        var name = String(ImportedText(team.name, atMost: 200).text.prefix(64))
        if !rows.isEmpty || name.isEmpty {
            name = "\(name.prefix(50))-\("\(team.id)".suffix(12))"
            report.changed.note("team \(team.id)", ImportReason.nameTaken)
        }
        guard newTeams.count < limits.users else {
            throw TransferError.limitExceeded("the file has more than \(limits.users) teams")
        }
        newTeams.insert(team.id)
        report.created[.team] += 1
        guard !isDryRun else { return }
        _ = try await store.pool.query(
            """
            INSERT INTO teams (id, name, created_at) VALUES ($1, $2, \(Self.time("$3")))
            ON CONFLICT DO NOTHING
            """,
            [.uuid(team.id), .text(name), .int64(team.createdAt.milliseconds)]
        )
    }

    func add(_ member: TeamMemberRecord) async throws {
        guard owner.user == nil else { return }
        guard newTeams.contains(member.team) else {
            report.found[.teamMember] += 1
            return
        }
        guard knownUsers.contains(member.user) else {
            report.skipped.note("team_member \(member.user)", ImportReason.noUser)
            return
        }
        report.created[.teamMember] += 1
        guard !isDryRun else { return }
        _ = try await store.pool.query(
            """
            WITH added AS (
                INSERT INTO team_members (team_id, user_id, role, joined_at)
                SELECT $1, id, $3, \(Self.time("$4")) FROM users
                WHERE id = $2 AND deleted_at IS NULL ON CONFLICT DO NOTHING
                RETURNING user_id
            ), \(ListNumbers.next(of: "SELECT user_id FROM added"))
            INSERT INTO team_changes (user_id, team_id, u) SELECT user_id, $1, u FROM counted
            ON CONFLICT (user_id, team_id) DO UPDATE SET u = excluded.u
            """,
            [
                .uuid(member.team), .uuid(member.user), .text(member.role.rawValue),
                .int64(member.joinedAt.milliseconds),
            ]
        )
    }

    /// Adds a version of the server's own system prompt, where it is free.
    func addServerPrompt(_ prompt: SystemPromptRecord) async throws {
        guard owner.user == nil else { return }
        let text = kept(prompt.text, of: "system prompt \(prompt.id)")
        let rows = try await store.pool.query(
            """
            SELECT body = $2 FROM system_prompts WHERE conversation_id IS NULL AND version = $1
            """,
            [.int32(Int32(clamping: prompt.version)), .text(text)]
        )
        if let row = rows.first {
            if try row.decode(as: Bool.self) {
                report.found[.systemPrompt] += 1
            } else {
                report.skipped.note("system prompt \(prompt.id)", ImportReason.otherServerPrompt)
            }
            return
        }
        report.created[.systemPrompt] += 1
        guard !isDryRun, prompt.version > 0 else { return }
        _ = try await store.pool.query(
            """
            INSERT INTO system_prompts (id, version, body, created_at)
            VALUES ($1, $2, $3, \(Self.time("$4"))) ON CONFLICT DO NOTHING
            """,
            [
                .uuid(prompt.id), .int32(Int32(clamping: prompt.version)), .text(text),
                .int64(prompt.createdAt.milliseconds),
            ]
        )
    }

    /// Writes down that an import was made.
    func audit() async throws {
        guard !isDryRun else { return }
        let (actor, created) = (owner.actor, report.created)
        let object: String =
            if let user = owner.user { "user \(user.id)" } else { "everything" }
        try await store.pool.transaction { transaction in
            try transaction.audit(
                "transfer.imported",
                by: actor,
                object: object,
                detail: [
                    "conversations": "\(created[.conversation])",
                    "messages": "\(created[.message])",
                    "users": "\(created[.user])",
                    "prompts": "\(created[.prompt])",
                ]
            )
        }
    }

    /// SQL for a time that a parameter or column gives in milliseconds since 1970.
    static func time(_ milliseconds: String) -> String {
        "(timestamptz 'epoch' + \(milliseconds)::bigint * interval '1 millisecond')"
    }
}
