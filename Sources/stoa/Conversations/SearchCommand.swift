// `stoa search`: messages that contain words.

import ArgumentParser
import ChatClient
import ChatProtocol
import TerminalText

/// `stoa search`.
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search messages.",
        discussion: """
            Words match beginnings of words; "quoted words" are a phrase. by:NAME, since:YYYY-MM-DD, \
            until:YYYY-MM-DD and team:ID narrow the search. The exit status is 1 if nothing is found.
            """
    )

    @Argument(help: "Words and filters.")
    var words: [String]

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Search only this conversation.", valueName: "NAME"),
        completion: NamesCommand.conversations
    )
    var conversation: String?

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("Maximum number of results.", valueName: "COUNT")
    )
    var limit = 20

    @OptionGroup var output: OutputArguments
    @OptionGroup var connection: ServerArguments

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    func run() async throws {
        let search: SearchLine
        do throws(SearchLine.Mistake) {
            search = try SearchLine(words.joined(separator: " "))
        } catch {
            throw CommandFailure(.usage, error.sentence)
        }
        let (name, limit) = (conversation.map { ConversationName($0) }, limit)
        let (results, hasMore) = try await connection.connected { client in
            var request = search.request(open: nil)
            request.conversation = try await name?.find(client)
            var results: [SearchResult] = []
            repeat {
                request.limit = min(100, limit - results.count)
                let page = try await client.deliver(.search, request)
                results += page.results
                request.cursor = page.cursor
            } while request.cursor != nil && results.count < limit
            return (results, request.cursor != nil)
        }
        for result in results {
            if output.json {
                output.print(result)
            } else {
                let row = ChatTranscript.searchRow(result, isTerminal: Terminal.isOutput)
                StandardStreams.print("\(result.conversation)  \(row)")
            }
        }
        if hasMore { output.note("More results exist: raise --limit.") }
        if results.isEmpty {
            throw CommandFailure(.difference, output.quiet ? "" : "nothing found")
        }
    }
}
