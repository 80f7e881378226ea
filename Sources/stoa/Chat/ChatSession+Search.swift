// Searches messages, and opens a result on its branch.

import ChatClient
import ChatProtocol
import TerminalText

extension ChatSession {
    /// Searches messages; nil shows more results of the last search.
    func search(_ text: String?) async throws(CommandFailure) {
        var request: SearchRequest
        if let text {
            do throws(SearchLine.Mistake) {
                request = try SearchLine(text).request(open: follower?.view.id)
            } catch {
                note("\(error.sentence)")
                return
            }
            found = []
        } else if let lastSearch {
            request = lastSearch
        } else {
            note("/search needs words.")
            return
        }
        let reply = try await ask(.search, request)
        let rows = reply.results.enumerated().map { index, result in
            ChatTranscript.searchRow(
                result,
                number: found.count + index + 1,
                isTerminal: isTerminal
            )
        }
        found += reply.results
        request.cursor = reply.cursor
        lastSearch = reply.cursor == nil ? nil : request
        output(rows.isEmpty ? "Nothing found." : rows.joined(separator: "\n") as SafeText)
        if !rows.isEmpty {
            let more = reply.cursor == nil ? "" : " /search alone shows more."
            note("/found N opens number N.\(more)")
        }
    }

    /// Opens a message of the last search.
    func openFound(_ number: Int) async throws(CommandFailure) {
        guard found.indices.contains(number - 1) else {
            note("No number \(number) in the last /search.")
            return
        }
        let result = found[number - 1]
        // The server stores the selection, so the conversation opens with it.
        let request = MessageSelectRequest(
            conversation: result.conversation,
            message: result.message,
            limit: 1
        )
        _ = try await ask(.messageSelect, request)
        try await open(result.conversation)
    }

    /// Prints a result: on the terminal as a note, or on standard output.
    private func output(_ text: SafeText) {
        if isTerminal { note(text) } else { StandardStreams.print(text) }
    }
}
