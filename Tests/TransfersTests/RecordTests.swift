import ChatProtocol
import FoundationEssentials
import TestSupport
import Testing
import Transfers

@Suite("Records")
struct RecordTests {
    @Test("records survive a round trip, in chunks of any size")
    func roundTrip() throws {
        let (records, bytes) = Transfer.ofEveryKind()
        for size in [1, 7, 4096, bytes.count] {
            let read = try Transfer.read(bytes, in: size)
            #expect(read.dropLast() == records[...])
            guard case .end(let end) = read.last else {
                Issue.record("the last record is no end")
                continue
            }
            #expect(end.lines == records.count)
            #expect(end.counts[.message] == 2)
        }
    }

    @Test("records with any combination of fields survive a round trip", arguments: 0..<20)
    func anyFields(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        var records: [TransferRecord] = [.header(Transfer.header(at: Transfer.time))]
        for _ in 0..<20 { records.append(Transfer.random(using: &generator)) }
        var writer = RecordWriter()
        var bytes: [UInt8] = []
        for record in records { bytes += writer.line(record) }
        let read = try Transfer.read(bytes + writer.end(), in: 100)
        #expect(read.dropLast() == records[...])
    }

    @Test("a record always has the same text, with its type first")
    func text() {
        var writer = RecordWriter()
        let line = writer.line(.user(UserRecord(id: Transfer.anna, name: "Anna \"Ä\"\n")))
        #expect(
            String(decoding: line, as: UTF8.self)
                == #"{"type":"user","id":"01980000-0000-7000-8000-00000000000a","#
                + #""name":"Anna \"Ä\"\n"}"# + "\n"
        )
    }

    @Test("direction overrides are escaped, and decoded again")
    func direction() throws {
        let user = UserRecord(id: Transfer.anna, name: "\u{202E}gnp.exe \u{2066}x\u{2069}")
        let records: [TransferRecord] = [.header(Transfer.header(at: Transfer.time)), .user(user)]
        var writer = RecordWriter()
        let bytes = records.flatMap { writer.line($0) } + writer.end()
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains(#""name":"\u202egnp.exe \u2066x\u2069""#))
        #expect(try Transfer.read(bytes, in: 7).dropLast() == records[...])
    }

    @Test("the checksum of the content does not depend on the header")
    func contentDigest() throws {
        let ends = [Int64(0), 1].map { milliseconds -> [UInt8] in
            var writer = RecordWriter()
            _ = writer.line(.header(Transfer.header(at: Timestamp(milliseconds: milliseconds))))
            _ = writer.line(.user(UserRecord(id: Transfer.anna, name: "anna")))
            return writer.end()
        }
        #expect(ends[0] != ends[1])
        let digests = ends.map { end in
            String(decoding: end, as: UTF8.self).split(separator: "content_sha256").last
        }
        #expect(digests[0] == digests[1])
    }

    @Test("a single changed byte is detected")
    func damage() {
        let bytes = Transfer.ofEveryKind().bytes
        for index in stride(from: 0, to: bytes.count, by: 11) {
            var damaged = bytes
            damaged[index] ^= 1
            #expect(throws: TransferError.self) { try Transfer.read(damaged, in: 4096) }
        }
    }

    @Test("a file that is truncated anywhere is incomplete")
    func truncation() {
        let bytes = Transfer.ofEveryKind().bytes
        for count in stride(from: 0, to: bytes.count, by: 13) {
            #expect(throws: TransferError.incomplete) {
                try Transfer.read(Array(bytes[..<count]), in: 4096)
            }
        }
    }

    private static let notTransfers: [(String, TransferError)] = [
        ("{}\n", .unknownFormat("its first line is not a header")),
        ("[[[[[[[[[[[[[[[[[\n", .limitExceeded("line 1 nests deeper than 16")),
        (String(repeating: "x", count: 2000), .limitExceeded("line 1 is longer than 1000 bytes")),
        (header(format: "other", version: 1), .unknownFormat("its format is not stoa")),
        (header(format: "stoa", version: 5), .unknownVersion(5)),
    ]

    private static func header(format: String, version: Int) -> String {
        #"{"type":"header","format":"\#(format)","version":\#(version),"server":"","scope":"all","#
            + #""exported_at":"2026-11-21T09:30:00.125Z"}\#n"#
    }

    @Test("input that is not a transfer is refused", arguments: notTransfers)
    func refusals(text: String, error: TransferError) {
        var reader = RecordReader(limits: RecordReader.Limits(lineBytes: 1000))
        reader.append(Array(text.utf8))
        #expect(throws: error) { _ = try reader.next() }
    }

    @Test("a file of version 1 can be read")
    func firstVersion() throws {
        let path = "\(SharedFiles.packageRoot)/Tests/TransfersTests/Fixtures/stoa-1.ndjson"
        let records = try Transfer.read(Array(try Data(contentsOf: URL(filePath: path))), in: 100)
        #expect(records.count == 11)
        guard case .header(let header) = records.first, case .end = records.last else {
            Issue.record("no header or no end")
            return
        }
        #expect(header.version == 1)
        for record in records {
            if case .member(let member) = record { #expect(member.firstUnread == nil) }
        }
    }

    @Test("an unknown type of record is refused, not ignored")
    func unknownType() {
        var writer = RecordWriter()
        let header = writer.line(.header(Transfer.header(at: Transfer.time)))
        #expect(throws: TransferError.malformed(line: 2, "has a malformed type")) {
            try Transfer.read(header + Array("{\"type\":\"moon\"}\n".utf8), in: 64)
        }
    }

    @Test("an error names the line that is not UTF-8 or lacks a field")
    func malformedLines() {
        var writer = RecordWriter()
        let header = writer.line(.header(Transfer.header(at: Timestamp(milliseconds: 0))))
        #expect(throws: TransferError.malformed(line: 2, "is not UTF-8")) {
            try Transfer.read(header + [0x22, 0xC3, 0x28, 0x22, 0x0A], in: 64)
        }
        #expect(throws: TransferError.malformed(line: 2, "lacks id")) {
            try Transfer.read(header + Array("{\"type\":\"user\"}\n".utf8), in: 64)
        }
    }

    @Test("an imported object's id is the same each time, and sorts by its time")
    func derivedIdentifiers() {
        let early = Timestamp(milliseconds: 1_700_000_000_000)
        let late = Timestamp(milliseconds: 1_700_000_000_001)
        let id = MessageID.derived(from: ["chatgpt", "a", "b"], at: early)
        #expect(id == MessageID.derived(from: ["chatgpt", "a", "b"], at: early))
        #expect(id != MessageID.derived(from: ["chatgpt", "ab"], at: early))
        let other = MessageID.derived(from: ["chatgpt", "a", "b"], at: late)
        #expect(id.description < other.description)
    }

    @Test("a report counts all notes and lists the first")
    func report() {
        var report = TransferReport()
        for number in 0..<150 { report.skipped.note("message \(number)", .noMessages) }
        var sum = TransferReport()
        sum.add(report)
        sum.add(report)
        #expect(sum.skipped.count == 300)
        #expect(sum.skipped.reasons == ["it has no messages": 300])
        #expect(sum.skipped.notes.count == 100)
    }
}
