// Imports users and teams. An import into a user's account adds no users: others stay as names. An
// import of everything adds them, disabled and without a password, unless their ids exist.

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
            report.changed.note("user \(user.id)", .nameOnly)
            return
        }
        users.append(user)
        if users.count >= 500 { try await flushUsers() }
    }

    /// Adds the users that were read and do not exist.
    func flushUsers() async throws {
        guard !users.isEmpty else { return }
        let batch = users
        users = []
        let known = try await store.users(like: batch)
        let there = Set(known.map(\.id))
        var takenNames = Set(known.map(\.name))
        for user in batch {
            guard !there.contains(user.id), !knownUsers.contains(user.id) else {
                report.found[.user] += 1
                knownUsers.insert(user.id)
                continue
            }
            var name = String(user.name.prefix(64))
            if name.isEmpty || takenNames.contains(name.lowercased()) {
                name = "\(name.prefix(50))-\("\(user.id)".suffix(12))"
                report.changed.note("user \(user.id)", .nameTaken)
            }
            takenNames.insert(name.lowercased())
            var isAdded = true
            if !isDryRun { isAdded = try await store.add(UserRecord(id: user.id, name: name)) }
            if isAdded {
                knownUsers.insert(user.id)
                report.created[.user] += 1
            }
        }
    }

    func add(_ team: TeamRecord) async throws {
        try await flushUsers()
        guard owner.user == nil else { return }
        let text = ImportedText(team.name, atMost: 200).text
        let (isThere, isNameTaken) = try await store.find(team.id, named: text)
        guard !isThere else {
            report.found[.team] += 1
            return
        }
        var name = String(text.prefix(64))
        if isNameTaken || name.isEmpty {
            name = "\(name.prefix(50))-\("\(team.id)".suffix(12))"
            report.changed.note("team \(team.id)", .nameTaken)
        }
        guard newTeams.count < limits.users else {
            throw TransferError.limitExceeded("the file has more than \(limits.users) teams")
        }
        newTeams.insert(team.id)
        report.created[.team] += 1
        guard !isDryRun else { return }
        try await store.add(team, named: name)
    }

    func add(_ member: TeamMemberRecord) async throws {
        guard owner.user == nil else { return }
        guard newTeams.contains(member.team) else {
            report.found[.teamMember] += 1
            return
        }
        guard knownUsers.contains(member.user) else {
            report.skipped.note("team_member \(member.user)", .noUser)
            return
        }
        report.created[.teamMember] += 1
        guard !isDryRun else { return }
        try await store.add(member)
    }

    /// Adds a version of the server's own system prompt, if its number is free.
    func addServerPrompt(_ prompt: SystemPromptRecord) async throws {
        guard owner.user == nil else { return }
        let text = kept(prompt.text, of: "system prompt \(prompt.id)")
        if let isSame = try await store.hasServerPrompt(prompt.version, text) {
            if isSame {
                report.found[.systemPrompt] += 1
            } else {
                report.skipped.note("system prompt \(prompt.id)", .otherServerPrompt)
            }
            return
        }
        report.created[.systemPrompt] += 1
        guard !isDryRun, prompt.version > 0 else { return }
        try await store.addServerPrompt(prompt, text)
    }

    /// Adds an audit entry for the import.
    func audit() async throws {
        guard !isDryRun else { return }
        let (actor, created) = (owner.actor, report.created)
        let object: String =
            if let user = owner.user { "user \(user.id)" } else { "everything" }
        try await store.audit(created, to: object, by: actor)
    }
}
