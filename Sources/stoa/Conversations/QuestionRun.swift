// A question and the way of its answer to standard output.

import ChatClient
import ChatProtocol
import EventLoop
import Glibc
import TerminalText

/// Asks one question. Used on its client's event loop.
final class QuestionRun {
    /// An answer may wait in the queue for long.
    private static let patience = Duration.seconds(24 * 60 * 60)

    private let client: ChatClient
    private let output: OutputArguments
    private var feed = ConversationFeed()
    private var text: ConversationText?
    private let screen: AnswerScreen?
    private var answer: MessageID?
    private var hasInterrupted = false

    init(_ client: ChatClient, _ output: OutputArguments, showsThinking: Bool) {
        self.client = client
        self.output = output
        screen = output.json ? nil : AnswerScreen(client.loop, showsThinking: showsThinking)
    }

    /// Sends the question, and prints the answer until it has ended.
    /// - Throws: `CommandFailure` if the answer failed or was stopped; a refusal of the server.
    func ask(_ question: String, in conversation: ConversationID) async throws {
        try client.loop.onSignal(SIGINT) { [weak self] in self?.interrupt() }
        // The watch request goes out first, so that no part of the answer is late.
        let follower = client.follow(conversation)
        follower.onChange = { [unowned self] changes, view in show(changes, view) }
        let request = MessageSendRequest(
            conversation: conversation,
            key: MessageID.make().description,
            text: question
        )
        let sent = try await client.deliver(.messageSend, request)
        begin(sent, follower.view)
        let view = try await follower.wait(within: Self.patience) {
            $0.message(sent.answer.id)?.state.isFinal == true
        }
        if let message = view.message(sent.answer.id) { try end(message) }
    }

    private func begin(_ sent: MessageSendReply, _ view: ConversationView) {
        answer = sent.answer.id
        text = ConversationText(only: sent.answer.id, model: "")
        print([.created(sent.message)])
        show([], view)
    }

    private func show(_ changes: [ConversationView.Change], _ view: ConversationView) {
        guard let answer else { return }
        var lines: [ConversationLine] = []
        for change in changes {
            switch change {
            case .queued(answer, let position, let eta):
                lines.append(.queued(answer, position: position, eta: eta))
                note(position, eta)
            case .progressed(answer, let done, let total):
                lines.append(.progress(answer, done: done, total: total))
            case .restarted(answer):
                lines += feed.lines(for: [change], of: view)
            default: break
            }
        }
        if let message = view.message(answer) { lines += feed.lines(of: [message]) }
        print(lines)
    }

    private func print(_ lines: [ConversationLine]) {
        for line in lines {
            if output.json {
                output.print(line)
            } else if let screen {
                draw(line, screen)
            } else if let shown = text?.text(for: line), !shown.isEmpty {
                StandardStreams.write(shown)
            }
        }
    }

    private func draw(_ line: ConversationLine, _ screen: AnswerScreen) {
        switch line {
        case .delta(_, _, _, let text): screen.append(text)
        case .restarted: screen.restart()
        case .ended: screen.finish()
        case .created, .queued, .progress, .deleted: break
        }
    }

    private func note(_ position: Int, _ eta: Double?) {
        guard Terminal.isError, !output.json, position > 1 || (eta ?? 0) >= 2 else { return }
        let time = eta.map { ", about \(ChatTranscript.span($0))" } ?? ""
        output.note("(queue position \(position)\(time))")
    }

    private func end(_ message: Message) throws(CommandFailure) {
        switch message.state {
        case .failed:
            throw CommandFailure(.software, message.error?.message ?? "the answer failed")
        case .stopped:
            throw CommandFailure(.interrupted, hasInterrupted ? "" : "the answer was stopped")
        default:
            guard let usage = message.usage, Terminal.isError, !output.json else { return }
            output.note("(\(ChatTranscript.figures(usage)))")
        }
    }

    /// Handles Ctrl-C: stops the answer; the second one does not wait for its end.
    private func interrupt() {
        guard let answer, !hasInterrupted else {
            exit(CommandFailure.Status.interrupted.rawValue)
        }
        hasInterrupted = true
        client.send(.generationStop, GenerationStopRequest(message: answer)) { _ in }
    }
}
