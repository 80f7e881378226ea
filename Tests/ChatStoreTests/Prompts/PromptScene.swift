// Common operations on prompt libraries.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials

extension Store {
    /// Adds a prompt to a team's library, or, for nil, to the user's own.
    func somePrompt(
        _ text: String = "Be brief.",
        named name: String = "Brief",
        in team: TeamID? = nil,
        by user: User
    ) async throws -> LibraryPrompt {
        try await prompts.create(
            PromptCreateRequest(key: UUID().uuidString, team: team, name: name, text: text),
            by: user
        )
    }

    /// Adds a version to a prompt, as a user who has seen `version`.
    func change(
        _ prompt: LibraryPrompt,
        to text: String,
        named name: String? = nil,
        after version: Int? = nil,
        by user: User
    ) async throws -> LibraryPrompt {
        try await prompts.update(
            PromptUpdateRequest(
                prompt: prompt.id,
                text: text,
                name: name,
                version: version ?? prompt.version
            ),
            by: user
        )
    }

    /// All versions of a prompt, newest first.
    func versions(_ prompt: LibraryPrompt, for user: User) async throws
        -> [LibraryText]
    {
        let request = PromptVersionsRequest(prompt: prompt.id)
        return try await prompts.versions(request, limit: 200, for: user.id).versions
    }
}
