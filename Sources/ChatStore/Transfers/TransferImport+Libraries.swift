// Libraries of prompts in an import. A prompt is hidden, as deleted ones are, until all of its versions are
// there; so one that an import was cut off at, or that was deleted here since, is gone on with by the next.

import ChatProtocol
import Postgres
import Transfers

/// A library's prompt that is being imported.
struct PromptLoad {
    let record: PromptRecord
    /// What it is called here.
    let target: PromptID
    /// Whether this import made its row.
    let isNew: Bool
    /// How many of its versions were read.
    var versionCount = 0
    /// Why it is given up.
    var failure: String?
}

extension TransferImport {
    /// The longest name of a prompt, in bytes.
    private static let promptNameBytes = 256

    func add(_ prompt: PromptRecord) async throws {
        try await flushUsers()
        try await finishPrompt()
        passedOverPrompt = nil
        guard try await hasLibrary(of: prompt) else {
            report.skipped.note("prompt \(prompt.id)", ImportReason.noLibrary)
            return
        }
        if owner.user != nil, prompt.team != nil {
            report.changed.note("prompt \(prompt.id)", ImportReason.leftTeam)
        }
        guard let place = try await place(of: prompt) else {
            passedOverPrompt = prompt.id
            report.found[.prompt] += 1
            return
        }
        self.prompt = PromptLoad(record: prompt, target: place.id, isNew: place.isNew)
        guard place.isNew, !isDryRun else { return }
        _ = try await store.pool.query(
            "INSERT INTO prompts (id, team_id, owner_id, deleted_at) VALUES ($1, $2, $3, now())",
            [
                .uuid(place.id), .optional(owner.user == nil ? prompt.team : nil),
                .optional(owner.user?.id ?? (prompt.team == nil ? prompt.owner : nil)),
            ]
        )
    }

    /// Whether the library that a prompt belongs to is here. In one's own account it is one's own.
    private func hasLibrary(of prompt: PromptRecord) async throws -> Bool {
        if owner.user != nil { return true }
        guard let team = prompt.team else {
            guard let person = prompt.owner, knownUsers.contains(person) else { return false }
            // What went with an account does not come back.
            return try await store.pool.query(
                "SELECT FROM users WHERE id = $1 AND deleted_at IS NOT NULL",
                [.uuid(person)]
            ).isEmpty
        }
        if newTeams.contains(team) { return true }
        return try await !store.pool.query(
            "SELECT FROM teams WHERE id = $1",
            [.uuid(team)]
        ).isEmpty
    }

    /// Where a prompt goes: under its own identifier where that is free or its own already, in one's own
    /// account else under one that is the same each time.
    /// - Returns: nil where it is there.
    private func place(of prompt: PromptRecord) async throws -> (id: PromptID, isNew: Bool)? {
        var candidates = [prompt.id]
        if let user = owner.user {
            let names = ["stoa prompt", "\(user.id)", "\(prompt.id)"]
            candidates.append(.derived(from: names, at: Timestamp(milliseconds: 0)))
        }
        let rows = try await store.pool.query(
            """
            SELECT id, deleted_at IS NULL AS is_there,
                $2::uuid IS NULL OR owner_id IS NOT DISTINCT FROM $2 AS is_own
            FROM prompts WHERE id = ANY ($1)
            """,
            [.uuidArray(candidates.map(\.uuid)), .optional(owner.user?.id)]
        )
        var taken: Set<PromptID> = []
        var hidden: PromptID?
        for row in rows {
            let id = try row.id("id", of: LibraryPrompt.self)
            taken.insert(id)
            guard try row.decode("is_own", as: Bool.self) else { continue }
            if id != prompt.id { promptIDs[prompt.id] = id }
            if try row.decode("is_there", as: Bool.self) { return nil }
            hidden = id
        }
        if let hidden { return (hidden, false) }
        let id = candidates.first { !taken.contains($0) } ?? .make()
        if id != prompt.id {
            promptIDs[prompt.id] = id
            report.changed.note("prompt \(prompt.id)", ImportReason.newIdentifier)
        }
        return (id, true)
    }

    func add(_ version: PromptVersionRecord) async throws {
        if let passedOverPrompt, passedOverPrompt == version.prompt {
            report.found[.promptVersion] += 1
            return
        }
        let object = "prompt_version \(version.version) of \(version.prompt)"
        guard var load = prompt, load.record.id == version.prompt else {
            report.skipped.note(object, ImportReason.noPrompt)
            return
        }
        let name = ImportedText(version.name, atMost: Self.promptNameBytes)
        let text = ImportedText(version.text, atMost: ProtocolLimits.standard.textBytes)
        guard version.version == load.versionCount + 1,
            version.version <= PromptStore.promptVersionsMax,
            !name.text.isEmpty, !text.text.isEmpty
        else {
            report.skipped.note(object, ImportReason.malformedPrompt)
            return
        }
        if let change = name.change ?? text.change { report.changed.note(object, change) }
        load.versionCount += 1
        if !isDryRun, load.failure == nil {
            let isStored = try await insert(version, name.text, text.text, to: load.target)
            if !isStored { load.failure = ImportReason.refusedByDatabase }
        }
        prompt = load
    }

    /// Adds a version to a prompt.
    /// - Returns: whether the database takes its values.
    private func insert(
        _ version: PromptVersionRecord,
        _ name: String,
        _ text: String,
        to target: PromptID
    ) async throws -> Bool {
        do {
            _ = try await store.pool.query(
                """
                INSERT INTO prompt_versions
                    (prompt_id, version, name, body, author_id, created_at)
                VALUES ($1, $2, $3, $4, $5, \(Self.time("$6")))
                ON CONFLICT (prompt_id, version) DO NOTHING
                """,
                [
                    .uuid(target), .int32(Int32(clamping: version.version)),
                    .text(name), .text(text), .optional(localAuthor(version.author)),
                    .int64(version.createdAt.milliseconds),
                ]
            )
            return true
        } catch {
            // Not data that fits no column or breaks a constraint: that is everybody's trouble.
            guard case .server(let refusal) = error, refusal.isCausedByValues else { throw error }
            return false
        }
    }

    /// Shows the prompt that was read, where its library has room.
    func finishPrompt() async throws {
        guard let load = prompt else { return }
        prompt = nil
        var reason = load.failure
        if load.versionCount == 0 { reason = ImportReason.malformedPrompt }
        if reason == nil, !isDryRun, try await !store.showPrompt(load.target) {
            reason = ImportReason.libraryFull
        }
        guard let failure = reason else {
            report.created[.prompt] += 1
            report.created[.promptVersion] += load.versionCount
            return
        }
        promptIDs[load.record.id] = nil
        if load.isNew, !isDryRun { try await store.dropHidden(load.target) }
        report.skipped.note("prompt \(load.record.id)", failure)
    }

    /// What a system prompt was taken from, by what that is called here.
    func local(_ library: LibraryVersion?) -> LibraryVersion? {
        guard var library else { return nil }
        library.prompt = promptIDs[library.prompt] ?? library.prompt
        library.name = ImportedText(library.name, atMost: Self.promptNameBytes).text
        return library
    }
}

extension Store {
    /// Puts a hidden prompt into its library.
    /// - Returns: false where that is full.
    fileprivate func showPrompt(_ id: PromptID) async throws -> Bool {
        let shown = try await pool.query(
            """
            UPDATE prompts p SET deleted_at = NULL, version = (
                SELECT max(version) FROM prompt_versions WHERE prompt_id = p.id
            )
            WHERE p.id = $1 AND $2 > (
                SELECT count(*) FROM prompts o
                WHERE o.deleted_at IS NULL AND (o.team_id = p.team_id OR o.owner_id = p.owner_id)
            )
            """,
            [.uuid(id), .integer(PromptStore.promptsMax)]
        )
        return shown.affectedRowCount == 1
    }

    /// Removes what an import has written of a prompt that is not whole.
    func dropHidden(_ id: PromptID) async throws {
        _ = try await pool.query(
            "DELETE FROM prompts WHERE id = $1 AND deleted_at IS NOT NULL",
            [.uuid(id)]
        )
    }
}
