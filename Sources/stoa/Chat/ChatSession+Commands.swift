// Commands that start with a slash.

import ChatClient
import ChatProtocol
import TerminalText

extension ChatSession {
    /// What to do after a line.
    enum Next {
        case line
        case leave
    }

    /// Runs a line's command. A refusal is printed; it ends only a script.
    func handle(_ input: ChatInput) async throws(CommandFailure) -> Next {
        do throws(CommandFailure) {
            switch input {
            case .nothing: break
            case .quit: return .leave
            case .message(let text): try await say(text)
            case .list: try await list()
            case .open(let number): try await openListed(number)
            case .openNamed(let name): try await openNamed(name)
            case .openID(let id): try await open(id)
            case .model(let name): try await model(name)
            case .title(let text): try await setTitle(text)
            case .pin(let isPinned): try await pin(isPinned)
            case .share: try await share()
            case .search(let text): try await search(text)
            case .found(let number): try await openFound(number)
            case .new(let title): try await open(try await createConversation(title: title))
            case .system(let text): try await system(text)
            case .prompts: try await listPrompts()
            case .prompt(let number): try await showPrompt(number)
            case .usePrompt(let number): try await usePrompt(number)
            case .invite(let name): try await invite(name)
            case .stop: try await stop()
            case .edit(let text): try await edit(text)
            case .regenerate: try await again(.messageRegenerate)
            case .proceed: try await again(.messageContinue)
            case .branches: listBranches()
            case .branch(let number): try await openBranch(number)
            case .newest: try await select(nil)
            case .fork(let title): try await fork(title: title)
            case .delete: try await deleteLast()
            case .settings(let text): try await settings(text)
            case .export(let path): try await export(to: path)
            case .receipt(let path): try await receipt(to: path)
            case .usage: try await showUsage()
            case .help: note("\(ChatCommand.helpText)")
            case .wrong(let reason): note("\(reason)")
            }
        } catch  where !isScripted {
            note("(\(error.message))")
        }
        return .line
    }

    private func list() async throws(CommandFailure) {
        guard let client else { return }
        do throws(ChatClientError) {
            let view = try await client.followList().refreshed(within: .seconds(60))
            listed = Array(view.conversations.prefix(50))
        } catch {
            throw CommandFailure(error)
        }
        let rows = listed.enumerated().map { index, conversation in
            ChatTranscript.listRow(
                conversation,
                number: index + 1,
                isOpen: conversation.id == follower?.view.id
            )
        }
        note(rows.isEmpty ? "No conversations yet." : "\(rows.joined(separator: "\n"))")
    }

    private func openListed(_ number: Int) async throws(CommandFailure) {
        guard listed.indices.contains(number - 1) else {
            note("No number \(number) in the last /list.")
            return
        }
        try await open(listed[number - 1].id)
    }

    private func openNamed(_ name: String) async throws(CommandFailure) {
        guard let client else { return }
        try await open(try await ConversationName(name).find(client))
    }

    private func showUsage() async throws(CommandFailure) {
        let usage = try await ask(.usageGet, UsageGetRequest())
        let lines = [("Today", usage.day), ("This month", usage.month)].map(UsageLine.text)
        note("\(lines.joined(separator: "\n"))")
    }

    private func system(_ text: String?) async throws(CommandFailure) {
        guard let follower else { return }
        guard let text else {
            let prompt = follower.view.conversation?.systemPrompt ?? ""
            note("System prompt: \(prompt)")
            return
        }
        let request = ConversationUpdateRequest(
            conversation: follower.view.id,
            systemPrompt: text
        )
        _ = try await ask(.conversationUpdate, request)
    }

    private func invite(_ name: String) async throws(CommandFailure) {
        guard let follower else { return }
        let request = MemberAddRequest(conversation: follower.view.id, user: name)
        _ = try await ask(.memberAdd, request)
        if !isTerminal { note("\(name) is now a member.") }
    }

    private func stop() async throws(CommandFailure) {
        guard let answer = follower?.view.unfinishedAnswers.first else {
            note("No answer is running.")
            return
        }
        let request = GenerationStopRequest(message: answer.id)
        _ = try await ask(.generationStop, request)
    }
}
