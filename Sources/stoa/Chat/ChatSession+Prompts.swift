// Prompt libraries: the user's own, and that of the conversation's team.

import ChatClient
package import ChatProtocol
import TerminalText

extension ChatSession {
    /// Lists the prompts that the open conversation can use.
    func listPrompts() async throws(CommandFailure) {
        var all = try await ask(.promptList, PromptListRequest()).prompts
        if let team = follower?.view.conversation?.team {
            let request = PromptListRequest(team: team)
            all += try await ask(.promptList, request).prompts
        }
        prompts = all
        let rows = all.enumerated().map { index, prompt in
            ChatTranscript.promptRow(prompt, number: index + 1)
        }
        note(rows.isEmpty ? "No prompts in the library." : "\(rows.joined(separator: "\n"))")
    }

    /// Shows a prompt of the last `/prompts`.
    func showPrompt(_ number: Int) async throws(CommandFailure) {
        guard let prompt = listedPrompt(number) else { return }
        let request = PromptVersionsRequest(prompt: prompt.id, limit: 1)
        let reply = try await ask(.promptVersions, request)
        note("\(reply.versions.first?.text ?? "")")
    }

    /// Sets a prompt of the last `/prompts` as the conversation's system prompt.
    func usePrompt(_ number: Int) async throws(CommandFailure) {
        guard let follower, let prompt = listedPrompt(number) else { return }
        let request = ConversationUpdateRequest(
            conversation: follower.view.id,
            library: LibraryChoice(prompt: prompt.id, version: prompt.version)
        )
        _ = try await ask(.conversationUpdate, request)
        if !isTerminal { note("The system prompt is now “\(prompt.name)”.") }
    }

    private func listedPrompt(_ number: Int) -> LibraryPrompt? {
        guard prompts.indices.contains(number - 1) else {
            note("No number \(number) in the last /prompts.")
            return nil
        }
        return prompts[number - 1]
    }
}

extension ChatTranscript {
    /// For example "2. Brief (version 3, the team's)".
    package static func promptRow(_ prompt: LibraryPrompt, number: Int) -> String {
        let whose = prompt.team == nil ? "yours" : "the team's"
        return TerminalSanitizer.clean(
            "\(number). \(prompt.name) (version \(prompt.version), \(whose))"
        )
    }
}
