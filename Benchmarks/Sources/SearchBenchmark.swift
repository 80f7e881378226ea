// The cost of searching a database filled by Benchmarks/search-fill.sql: kinds of queries, by users who
// see all, some and little of it. No query is repeated.

import ArgumentParser
import ChatProtocol
import ChatStore
import EventLoop
import FoundationEssentials
import Logging
import Postgres

struct SearchBenchmark: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search",
        abstract: "Search among a million messages; prints rows of a table in Markdown."
    )

    @Option(help: "The database, as host=… dbname=….") var databaseURL: String
    @Option(help: "How many queries of each kind, by each user.") var runs = 100

    func run() async throws {
        let configuration = try PostgresConfiguration(connectionString: databaseURL)
        let runs = runs
        try await EventLoop.run { loop in
            let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
            let pool = PostgresPool(loop: loop, configuration: configuration, logger: logger)
            var scene = try await SearchScene(pool)
            for kind in SearchScene.Kind.allCases {
                var row = "| \(kind.rawValue) |"
                for user in scene.users {
                    var sample = Sample()
                    var found = 0
                    for _ in 0..<runs {
                        let request = scene.request(kind)
                        let start = ContinuousClock.now
                        found += try await scene.store.search.page(request, for: user, limit: 20)
                            .results
                            .count
                        sample.add((ContinuousClock.now - start).inSeconds * 1000)
                    }
                    let figures = [sample.median, sample.percentile(0.95), sample.percentile(1)]
                        .map { "\(($0 * 10).rounded() / 10)" }
                    let hits = (Double(found) / Double(runs) * 10).rounded() / 10
                    row += " \(figures.joined(separator: " / ")) (\(hits)) |"
                }
                print(row)
            }
            await pool.close()
        }
    }
}

/// The searching user and the queries.
private struct SearchScene {
    enum Kind: String, CaseIterable {
        case number = "a number that stands in one message"
        case nothing = "a word that stands nowhere"
        case rare = "a rare word (of rank 10,000 to 60,000)"
        case medium = "a word of rank 300 to 3,000"
        case common = "one of the 20 most frequent words"
        case prefix = "the first three letters of a word"
        case commonAndRare = "a frequent and a rare word"
        case two = "two words of rank 20 to 300"
        case phrase = "a phrase of three words"
        case piece = "five letters in the middle of a long word"
        case shortPiece = "three letters in the middle of a word"
        case hanPair = "two Chinese characters"
        case hanTriple = "three Chinese characters"
        case author = "a word of rank 20 to 300, of one author"
        case month = "a frequent word, in a month half a year ago"
        case conversation = "a word of rank 20 to 300, in one conversation"
    }

    let store: Store
    let users: [UserID]
    private let words: [String]
    private let bodies: [String]
    private let conversations: [ConversationID]
    private var generator = SystemRandomNumberGenerator()

    init(_ pool: PostgresPool) async throws {
        store = Store(pool: pool)
        let rows = try await pool.query(
            "SELECT id FROM users WHERE name IN ('user 1', 'user 2', 'user 3') ORDER BY name"
        )
        users = try rows.map { UserID(try $0.decode(as: UUID.self)) }
        words = try await pool.query("SELECT word FROM search_figures ORDER BY n")
            .map { try $0.decode(as: String.self) }
        bodies = try await pool.query("SELECT body FROM messages TABLESAMPLE SYSTEM (0.2)")
            .map { try $0.decode(as: String.self) }
        let talks = try await pool.query(
            """
            SELECT conversation_id FROM members me JOIN users u ON u.id = me.user_id
            WHERE u.name = 'user 3'
            """
        )
        conversations = try talks.map { ConversationID(try $0.decode(as: UUID.self)) }
    }

    private mutating func word(_ ranks: ClosedRange<Int>) -> String {
        words[Int.random(in: ranks, using: &generator) - 1]
    }

    private mutating func piece(_ length: Int) -> String {
        while true {
            let word = Array(word(300...20_000))
            guard word.count > length + 2 else { continue }
            let start = Int.random(in: 1..<(word.count - length), using: &generator)
            return String(word[start..<(start + length)])
        }
    }

    private mutating func han(_ length: Int) -> String {
        while true {
            let body = bodies.randomElement(using: &generator) ?? ""
            let run = Array(body.drop { $0.isASCII }.prefix { !$0.isASCII })
            if run.count > length + 2 { return String(run[2..<(2 + length)]) }
        }
    }

    private mutating func phrase() -> String {
        while true {
            let body = bodies.randomElement(using: &generator) ?? ""
            let words = body.split { !$0.isLetter }.filter { $0.allSatisfy(\.isASCII) }
            if words.count > 6 { return "\"\(words[2...4].joined(separator: " "))\"" }
        }
    }

    mutating func request(_ kind: Kind) -> SearchRequest {
        var request = SearchRequest(query: "")
        request.query =
            switch kind {
            case .number: "no\(Int.random(in: 1...1_000_000, using: &generator))"
            case .nothing: "q\(word(1...60_000))"
            case .rare: word(10_000...60_000)
            case .medium: word(300...3000)
            case .common, .month: word(1...20)
            case .prefix: String(word(300...60_000).prefix(3))
            case .commonAndRare: word(1...20) + " " + word(3000...60_000)
            case .two: word(20...300) + " " + word(20...300)
            case .phrase: phrase()
            case .piece: piece(5)
            case .shortPiece: piece(3)
            case .hanPair: han(2)
            case .hanTriple: han(3)
            case .author, .conversation: word(20...300)
            }
        if kind == .author {
            request.author = "user \(Int.random(in: 4...900, using: &generator))"
        }
        if kind == .conversation { request.conversation = conversations.randomElement() }
        if kind == .month {
            let month: Int64 = 30 * 24 * 3600 * 1000
            let now = Timestamp.now.milliseconds
            request.from = Timestamp(milliseconds: now - 7 * month)
            request.to = Timestamp(milliseconds: now - 6 * month)
        }
        return request
    }
}
