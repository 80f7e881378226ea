// What tests of prompt libraries do all the time.

import ChatCore
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials

extension Store {
    /// Puts a prompt into a team's library, or, for nil, the user's own.
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

    /// Makes the next version of a prompt, as somebody who saw `version` of it.
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

    /// All versions of a prompt, the newest first.
    func versions(_ prompt: LibraryPrompt, for user: User) async throws
        -> [LibraryText]
    {
        let request = PromptVersionsRequest(prompt: prompt.id)
        return try await prompts.versions(request, limit: 200, for: user.id).versions
    }
}
