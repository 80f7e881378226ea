// The comparison at the end of a run: the database against the plan, the acknowledgements, and what
// readers saw.

import ChatProtocol
import Digests
import Postgres

/// The comparison. It blocks: call it off the event loop.
struct DatabaseCheck {
    private let database: BlockingConnection
    private let record: Record
    private(set) var violations: [String] = []
    private(set) var counts: [(name: String, value: Int)] = []

    private var givenUpCount = 0
    private var remoteCount = 0
    private var remoteFailures = 0

    private struct Answer {
        let text: String
        let state: String
        let error: String?
        let isRemote: Bool

        /// Whether it failed as all its engines did, in words that a user understands and that name
        /// no machine.
        var tellsOfEngines: Bool {
            guard let error else { return false }
            return error.contains("compute this model's answers")
                || error.contains("computes this model's answers")
                ? !error.contains("127.0.0.1") : false
        }
    }

    init(_ database: BlockingConnection, _ record: Record) {
        self.database = database
        self.record = record
    }

    /// Compares everything.
    mutating func run(texts: [Int: String]) throws {
        try checkSends(texts)
        try checkAnswers()
        try checkEvents()
        try checkLeftovers()
        try checkLedger()
    }

    // MARK: Sends

    private mutating func checkSends(_ texts: [Int: String]) throws {
        let rows = try database.query(
            """
            SELECT q.body, q.id::text, count(a.id) AS answers, min(a.id::text) AS answer
            FROM messages q
            LEFT JOIN messages a ON a.conversation_id = q.conversation_id AND a.parent_id = q.id
            WHERE q.role = 'user' GROUP BY q.conversation_id, q.id
            """
        )
        var stored: [String: [(question: String, answers: Int, answer: String?)]] = [:]
        for row in rows {
            stored[try row.decode("body", as: String.self), default: []].append(
                (
                    try row.decode("id", as: String.self),
                    Int(try row.decode("answers", as: Int64.self)),
                    try row.decode("answer", as: String?.self)
                )
            )
        }
        for (index, text) in texts {
            let found = stored.removeValue(forKey: text) ?? []
            if found.count != 1 { violations.append("send \(index) exists \(found.count) times") }
            guard let message = found.first else { continue }
            if message.answers != 1 {
                violations.append("send \(index) has \(message.answers) answers")
            }
            guard let sent = record.sent[index] else {
                violations.append("send \(index) was never acknowledged")
                continue
            }
            if message.question != "\(sent.question)" || message.answer != "\(sent.answer)" {
                violations.append("send \(index) is not the message that was acknowledged")
            }
        }
        if !stored.isEmpty { violations.append("\(stored.count) messages that nobody sent") }
        counts.append(("sends in the database", rows.count))
    }

    // MARK: Answers

    private mutating func checkAnswers() throws {
        let rows = try database.query(
            """
            SELECT m.id::text, m.body, m.state, m.error::text, octet_length(m.body) AS length,
                encode(sha256(convert_to(m.body, 'UTF8')), 'hex') AS hash, c.model
            FROM messages m JOIN conversations c ON c.id = m.conversation_id
            WHERE m.role = 'assistant'
            """
        )
        var answers: [String: Answer] = [:]
        var byState: [String: Int] = [:]
        for row in rows {
            let id = try row.decode("id", as: String.self)
            let answer = Answer(
                text: try row.decode("body", as: String.self),
                state: try row.decode("state", as: String.self),
                error: try row.decode("error", as: String?.self),
                isRemote: try row.decode("model", as: String.self) == FaultyEngine.model
            )
            answers[id] = answer
            byState[answer.state, default: 0] += 1
            check(id, answer)
            let (length, hash) = (
                Int(try row.decode("length", as: Int32.self)),
                try row.decode("hash", as: String.self)
            )
            if answer.text.utf8.count != length
                || SHA256.digest(of: answer.text).hexadecimal != hash
            {
                violations.append("answer \(id) was not read as it is stored")
            }
        }
        for (state, count) in byState.sorted(by: { $0.key < $1.key }) {
            counts.append(("answers \(state)", count))
        }
        var compared = 0
        for (message, copies) in record.seen {
            guard let answer = answers["\(message)"] else {
                violations.append("answer \(message) was seen and is not stored")
                continue
            }
            for copy in copies {
                compared += 1
                if !copy.text.utf8.elementsEqual(answer.text.utf8) {
                    violations.append(
                        "\(copy.reader) has \(copy.text.utf8.count) bytes of \(message), which has "
                            + "\(answer.text.utf8.count)"
                    )
                }
            }
        }
        if remoteCount > 0 {
            counts.append(("answers of remote engines", remoteCount))
            counts.append(("of these, failed with a sentence for the user", remoteFailures))
        }
        if givenUpCount > 0 { counts.append(("answers given up on, as they say", givenUpCount)) }
        counts.append(("texts compared byte for byte", compared))
    }

    private mutating func check(_ id: String, _ answer: Answer) {
        if answer.isRemote {
            remoteCount += 1
            if !FaultyEngine.isStory(answer.text) {
                violations.append("answer \(id) is not what engines told: \(answer.text)")
            }
        }
        switch answer.state {
        case "complete": break
        case "stopped":
            if let message = MessageID(id), !record.stopped.contains(message) {
                violations.append("answer \(id) is stopped, and nobody asked for that")
            }
        case "failed" where answer.error?.contains("had to give up on this answer") == true:
            // A quarantined answer: its node died at each attempt, as its error says.
            givenUpCount += 1
        case "failed" where answer.isRemote && answer.tellsOfEngines: remoteFailures += 1
        case "failed": violations.append("answer \(id) failed: \(answer.error ?? "without words")")
        default: violations.append("answer \(id) is still \(answer.state)")
        }
    }

    // MARK: Events and leftovers

    private mutating func checkEvents() throws {
        let rows = try database.query(
            """
            SELECT c.id::text, c.event_number, count(e.n) AS events,
                coalesce(min(e.n), 0) AS low, coalesce(max(e.n), 0) AS high
            FROM conversations c LEFT JOIN events e ON e.conversation_id = c.id
            GROUP BY c.id, c.event_number
            """
        )
        var numbers: [String: Int64] = [:]
        var total = 0
        for row in rows {
            let id = try row.decode("id", as: String.self)
            let (last, count) = (
                try row.decode("event_number", as: Int64.self),
                try row.decode("events", as: Int64.self)
            )
            let low = try row.decode("low", as: Int64.self)
            let high = try row.decode("high", as: Int64.self)
            numbers[id] = last
            total += Int(count)
            if count != last || high != last || (count > 0 && low != 1) {
                violations.append(
                    "conversation \(id) has \(count) events from \(low) to \(high), its number is "
                        + "\(last)"
                )
            }
        }
        counts.append(("events, numbered without a gap", total))
        if rows.count != record.conversations.count {
            violations.append(
                "\(rows.count) conversations, \(record.conversations.count) were made"
            )
        }
        for (conversation, reader, n) in record.lastEvents where numbers["\(conversation)"] != n {
            violations.append(
                "\(reader) knew event \(n), the last one is \(numbers["\(conversation)"] ?? -1)"
            )
        }
    }

    private mutating func checkLedger() throws {
        violations += try LedgerMonitor.imbalances(database).map { "the ledger: \($0)" }
        let rows = try database.query(
            "SELECT count(*) AS entries, sum(used)::bigint AS used FROM ledger"
        )
        guard let row = rows.first else { return }
        counts.append(("entries of the ledger", Int(try row.decode("entries", as: Int64.self))))
        let used = try row.decode("used", as: Int64?.self) ?? 0
        counts.append(("tokens that it says were used", Int(used)))
    }

    private mutating func checkLeftovers() throws {
        let questions = [
            ("rows left in the queue", "generations", "true"),
            ("checkpoints left behind", "answer_parts", "true"),
            ("keys without a reply", "idempotency_keys", "reply IS NULL"),
        ]
        for (what, table, condition) in questions {
            let exists = try database.query(
                "SELECT to_regclass($1) IS NOT NULL",
                [.text(table)]
            )
            guard try exists.first?.decode(as: Bool.self) == true else { continue }
            let rows = try database.query("SELECT count(*) FROM \(table) WHERE \(condition)")
            let count = try rows.first?.decode(as: Int64.self) ?? 0
            if count > 0 { violations.append("\(count) \(what)") }
        }
    }
}
