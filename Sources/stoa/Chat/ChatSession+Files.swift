// Commands that fetch something by HTTP: an export, and an answer's receipt.

import ChatClient
import ChatProtocol
import ChatServer
import EventLoop
import FoundationEssentials
import Glibc
import HTTPProtocol
import Inference
import TerminalText

extension ChatSession {
    /// The formats of exports by the ends of file names.
    private static let formats = [
        ".md": "markdown", ".html": "html", ".txt": "text", ".json": "json", ".jsonl": "openai",
        ".stoa": "stoa",
    ]

    /// Writes the open conversation to a new file, in the format of its name.
    func export(to path: String) async throws(CommandFailure) {
        guard let follower else { return }
        guard let format = Self.formats.first(where: { path.hasSuffix($0.key) })?.value else {
            let ends = Self.formats.keys.sorted().joined(separator: ", ")
            note("The file's name says the format: it must end in one of \(ends).")
            return
        }
        let bytes = try await fetch(
            "/api/v1/conversations/\(follower.view.id)/export?format=\(format)"
        )
        if let path = try write(bytes, to: path) { note("Written to \(path).") }
    }

    /// Says how the last answer was made, or writes its receipt to a new file.
    func receipt(to path: String?) async throws(CommandFailure) {
        let isAnswer = { (message: Message) in message.role == .assistant && message.state.isFinal }
        guard let view = follower?.view, let answer = view.messages.last(where: isAnswer) else {
            note("No answer yet.")
            return
        }
        let bytes = try await fetch(
            "/api/v1/conversations/\(view.id)/messages/\(answer.id)/receipt"
        )
        if let path {
            if let path = try write(bytes, to: path) {
                note("Written to \(path): stoa generate --replay repeats it.")
            }
            return
        }
        note("\(ReceiptText.lines(bytes).joined(separator: "\n"))")
    }

    private func fetch(_ target: String) async throws(CommandFailure) -> [UInt8] {
        guard let configuration = client?.configuration else {
            throw CommandFailure(.unavailable, "not connected")
        }
        let http = HTTPClient(loop: loop, server: configuration.server)
        var body: [UInt8] = []
        do {
            let reply = try await http.download(
                target,
                headers: [.authorization: "Bearer \(configuration.token)"]
            ) { body += $0 }
            guard reply.status.isSuccess else { throw failure(reply) }
        } catch let error as CommandFailure {
            throw error
        } catch {
            throw CommandFailure(.unavailable, TerminalSanitizer.clean("\(error)"))
        }
        return body
    }

    /// Writes a file that only its owner can read. One that exists is kept.
    private func write(_ bytes: [UInt8], to name: String) throws(CommandFailure) -> String? {
        var path = name
        if name.hasPrefix("~/"), let home = getenv("HOME") {
            path = String(cString: home) + name.dropFirst()
        }
        guard access(path, F_OK) != 0 else {
            note("\(path) exists: give another name.")
            return nil
        }
        do throws(FileError) { try FileSystem.write(bytes, to: path, mode: 0o600) } catch {
            throw CommandFailure(error)
        }
        return path
    }
}
