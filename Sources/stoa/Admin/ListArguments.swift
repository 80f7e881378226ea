// Lists from a server, page by page, as tables or as JSON.

import ArgumentParser
import ChatClient
import TerminalText

/// A list's limit and output format.
struct ListArguments: ParsableArguments {
    private static let pageLimit = 200

    @Option(help: ArgumentHelp("Maximum number of rows.", valueName: "COUNT"))
    var limit = 200

    @OptionGroup var table: TableArguments

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    /// Requests pages until there are enough rows, or no more.
    /// - Parameter page: requests the page after a cursor, with at most the given number of rows.
    /// - Returns: the rows, and whether there are more.
    /// - Throws: what `page` throws.
    func collect<Row: Sendable>(
        _ page: (_ cursor: String?, _ limit: Int) async throws -> (rows: [Row], next: String?)
    ) async throws -> (rows: [Row], hasMore: Bool) {
        var rows: [Row] = []
        var cursor: String?
        repeat {
            let (more, next) = try await page(cursor, min(Self.pageLimit, limit - rows.count))
            rows += more
            cursor = next
        } while cursor != nil && rows.count < limit
        return (rows, cursor != nil)
    }

    /// Requests pages over a connection, and prints them as a table or as JSON.
    /// - Parameters:
    ///   - connection: the server to connect to.
    ///   - headings: the table's headings.
    ///   - row: converts an entry to a row of the table.
    ///   - json: converts the entries to the value printed as JSON.
    ///   - page: requests the page after a cursor, with at most the given number of entries.
    /// - Throws: what `page` throws.
    func show<Entry: Sendable, JSON: Encodable>(
        _ connection: ServerArguments,
        _ headings: [String],
        row: (Entry) -> [String],
        json: ([Entry]) -> JSON,
        page:
            @escaping @Sendable (ChatClient, _ cursor: String?, _ limit: Int) async throws -> (
                rows: [Entry], next: String?
            )
    ) async throws {
        let list = self
        let (entries, hasMore) = try await connection.connected { client in
            try await list.collect { cursor, limit in try await page(client, cursor, limit) }
        }
        try table.show(headings, entries.map(row), json: json(entries))
        note(hasMore: hasMore)
    }

    /// Prints on standard error that there are more rows.
    func note(hasMore: Bool) {
        if hasMore { StandardStreams.printError("More rows exist: raise --limit.") }
    }

    /// Finds the entry with a name on the pages of entries whose name contains it.
    /// - Parameters:
    ///   - name: the name, in any case.
    ///   - nameOf: returns an entry's name.
    ///   - page: requests the page after a cursor, with at most the given number of entries.
    /// - Returns: the entry; nil if there is none.
    /// - Throws: what `page` throws.
    static func entry<Entry: Sendable>(
        named name: String,
        _ nameOf: (Entry) -> String,
        page: (_ cursor: String?, _ limit: Int) async throws -> (rows: [Entry], next: String?)
    ) async throws -> Entry? {
        var cursor: String?
        repeat {
            let (entries, next) = try await page(cursor, pageLimit)
            let found = entries.first { nameOf($0).lowercased() == name.lowercased() }
            if let found { return found }
            cursor = next
        } while cursor != nil
        return nil
    }
}
