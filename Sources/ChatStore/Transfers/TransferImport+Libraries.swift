// Imports prompt libraries. A prompt is hidden, like deleted ones, until all of its versions are
// imported; if an import was interrupted, or the prompt was deleted since, the next import
// continues with it.

import ChatProtocol
import Postgres
import Transfers

/// A library prompt that is being imported.
struct PromptLoad {
    let record: PromptRecord
    /// Its id in this database.
    let target: PromptID
    /// Whether this import inserted its row.
    let isNew: Bool
    /// Number of its versions that were read.
    var versionCount = 0
    /// Why it is given up.
    var failure: ImportReason?
}

extension TransferImport {
    /// Maximum length of a prompt's name, in bytes.
    private static let promptNameBytes = 256

    func add(_ prompt: PromptRecord) async throws {
        try await flushUsers()
        try await finishPrompt()
        passedOverPrompt = nil
        guard try await hasLibrary(of: prompt) else {
            report.skipped.note("prompt \(prompt.id)", .noLibrary)
            return
        }
        if owner.user != nil, prompt.team != nil {
            report.changed.note("prompt \(prompt.id)", .leftTeam)
        }
        guard let place = try await place(of: prompt) else {
            passedOverPrompt = prompt.id
            report.found[.prompt] += 1
            return
        }
        self.prompt = PromptLoad(record: prompt, target: place.id, isNew: place.isNew)
        guard place.isNew, !isDryRun else { return }
        try await store.addHiddenPrompt(
            place.id,
            team: owner.user == nil ? prompt.team : nil,
            owner: owner.user?.id ?? (prompt.team == nil ? prompt.owner : nil)
        )
    }

    /// Whether a prompt's library exists here. For an import into a user's account, it is the
    /// user's own.
    private func hasLibrary(of prompt: PromptRecord) async throws -> Bool {
        if owner.user != nil { return true }
        guard let team = prompt.team else {
            guard let person = prompt.owner, knownUsers.contains(person) else { return false }
            // What was deleted with an account is not restored.
            return try await !store.isDeleted(person)
        }
        if newTeams.contains(team) { return true }
        return try await store.hasTeam(team)
    }

    /// The target id of a prompt: its own if that is free or its own already; otherwise, in a
    /// user's account, an id that is the same each time.
    /// - Returns: nil if it exists already.
    private func place(of prompt: PromptRecord) async throws -> (id: PromptID, isNew: Bool)? {
        var candidates = [prompt.id]
        if let user = owner.user {
            let names = ["stoa prompt", "\(user.id)", "\(prompt.id)"]
            candidates.append(.derived(from: names, at: Timestamp(milliseconds: 0)))
        }
        let found = try await store.prompts(candidates, of: owner.user?.id)
        var hidden: PromptID?
        for candidate in found where candidate.isImporters {
            if candidate.id != prompt.id { promptIDs[prompt.id] = candidate.id }
            if candidate.isShown { return nil }
            hidden = candidate.id
        }
        if let hidden { return (hidden, false) }
        let id = candidates.first { id in !found.contains { $0.id == id } } ?? .make()
        if id != prompt.id {
            promptIDs[prompt.id] = id
            report.changed.note("prompt \(prompt.id)", .newIdentifier)
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
            report.skipped.note(object, .noPrompt)
            return
        }
        let name = ImportedText(version.name, atMost: Self.promptNameBytes)
        let text = ImportedText(version.text, atMost: ProtocolLimits.standard.textBytes)
        guard version.version == load.versionCount + 1,
            version.version <= PromptStore.promptVersionsMax,
            !name.text.isEmpty, !text.text.isEmpty
        else {
            report.skipped.note(object, .malformedPrompt)
            return
        }
        if let change = name.change ?? text.change { report.changed.note(object, change) }
        load.versionCount += 1
        if !isDryRun, load.failure == nil {
            let isStored = try await store.add(
                version,
                named: name.text,
                text.text,
                by: localAuthor(version.author),
                to: load.target
            )
            if !isStored { load.failure = .refusedByDatabase }
        }
        prompt = load
    }

    /// Makes the prompt visible, if its library has room.
    func finishPrompt() async throws {
        guard let load = prompt else { return }
        prompt = nil
        var reason = load.failure
        if load.versionCount == 0 { reason = .malformedPrompt }
        if reason == nil, !isDryRun, try await !store.showPrompt(load.target) {
            reason = .libraryFull
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

    /// The library prompt that a system prompt was taken from, with its id in this database.
    func local(_ library: LibraryVersion?) -> LibraryVersion? {
        guard var library else { return nil }
        library.prompt = promptIDs[library.prompt] ?? library.prompt
        library.name = ImportedText(library.name, atMost: Self.promptNameBytes).text
        return library
    }
}
