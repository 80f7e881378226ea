import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// The sources of ChatStore, split into SQL and the rest.
private struct StoreSources {
    /// The column names by which rows are read, with the files that do so.
    var read: [String: Set<String>] = [:]
    /// All words of string literals, which include the statements.
    var words: Set<Substring> = []
    /// The aliases of columns in statements.
    var aliases: Set<String> = []

    init() throws {
        let folder = "\(SharedFiles.packageRoot)/Sources/ChatStore"
        let files = try FileManager.default.subpathsOfDirectory(atPath: folder)
        for file in files where file.hasSuffix(".swift") {
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            let code = text.split(separator: "\n").filter {
                !$0.drop { $0 == " " }.hasPrefix("//")
            }.joined(separator: "\n")
            for match in code.matches(of: Self.reading) {
                read[String(match.output.1), default: []].insert(file)
            }
            // The reads are removed, so that a name does not count as its own definition.
            let rest = code.replacing(Self.reading, with: "")
            for match in rest.matches(of: Self.alias) { aliases.insert(String(match.output.1)) }
            let others = rest.split { !($0.isLetter || $0.isNumber || $0 == "_") }
            words.formUnion(others)
        }
    }

    /// `row.decode("name"`, and similar.
    private static var reading: Regex<(Substring, Substring)> {
        #/
        \.(?:decode|id|optionalID|timestamp|optionalTimestamp|json|word|optionalWord|milliseconds)
        \(\s*"([a-z_0-9]+)"
        /#
    }

    /// `expression AS name`
    private static var alias: Regex<(Substring, Substring)> { /\bAS ([a-z_0-9]+)\b/ }
}

@Suite("The columns that the store reads")
struct ColumnTests {
    @Test("are columns of the database, or aliases in a statement")
    func known() throws {
        let sources = try StoreSources()
        #expect(sources.read.count > 150, "the sources are not where this test looks")
        let database = try TestCluster.database(migrations: schema)
        let columns = Set(
            try database.query(
                """
                SELECT DISTINCT attname::text AS name FROM pg_attribute WHERE attnum > 0
                UNION SELECT unnest(proargnames) FROM pg_proc WHERE proname = 'budget_accounts'
                """
            ).map { try $0.decode("name", as: String.self) }
        )
        for (name, files) in sources.read {
            #expect(
                sources.words.contains(name[...]),
                "no statement has \(name), which \(files.sorted().joined(separator: ", ")) reads"
            )
            #expect(
                columns.contains(name) || sources.aliases.contains(name),
                "\(name) is no column; \(files.sorted().joined(separator: ", ")) reads it"
            )
        }
    }
}
