import JSONText
import TestSupport
import Testing
import Transfers

@Suite("ZIP archives")
struct ArchiveTests {
    private func content(_ archive: [UInt8], _ name: String) throws -> [UInt8] {
        let archive = try ZIPArchive(BytesInMemory(archive))
        let entry = try #require(archive.entries.first { $0.name == name })
        let stream = try archive.stream(of: entry)
        var content: [UInt8] = []
        while let piece = try stream.next() { content += piece }
        return content
    }

    private func refusal(
        of entry: ZIPWriter.Entry,
        limits: ArchiveLimits = ArchiveLimits()
    ) -> ArchiveError? {
        refusal(of: ZIPWriter.archive([entry]), limits: limits)
    }

    private func refusal(
        of bytes: [UInt8],
        limits: ArchiveLimits = ArchiveLimits()
    ) -> ArchiveError? {
        do {
            let archive = try ZIPArchive(BytesInMemory(bytes), limits: limits)
            for entry in archive.entries {
                let stream = try archive.stream(of: entry)
                while try stream.next() != nil {}
            }
            return nil
        } catch {
            return error as? ArchiveError
        }
    }

    @Test(
        "round-trip content of any size, stored and deflated, with and without ZIP64",
        arguments: [0, 1, 100, 65_536, 65_537, 500_000]
    )
    func roundTrip(size: Int) throws {
        var generator = SeededGenerator(seed: UInt64(size))
        let noise = generator.bytes(size)
        let text = Array("Lorem ipsum dolor sit amet. ".utf8)
        let prose = (0..<size).map { text[($0 &+ $0 / 97) % text.count] }
        for content in [noise, prose] {
            for method in [0, 8] {
                for isWide in [false, true] {
                    var entry = ZIPWriter.Entry("folder/ä.json", content, method: method)
                    entry.isWide = isWide
                    entry.hasDescriptor = method == 8
                    let other = ZIPWriter.Entry("other", [1, 2, 3])
                    let archive = ZIPWriter.archive([other, entry], isWide: isWide, comment: "c")
                    #expect(try self.content(archive, "folder/ä.json") == content)
                    #expect(try self.content(archive, "other") == [1, 2, 3])
                }
            }
        }
    }

    @Test("are refused if truncated, split or not an archive")
    func damage() {
        let archive = ZIPWriter.archive([ZIPWriter.Entry("a", "some text, some text")])
        #expect(refusal(of: []) == .notAnArchive)
        #expect(refusal(of: Array("{\"a\": 1}".utf8)) == .notAnArchive)
        for count in 22..<archive.count {
            #expect(
                refusal(of: Array(archive.prefix(count))) == .damaged(what: "its end is missing")
            )
        }
        var parts = archive
        parts[archive.count - 18] = 1
        #expect(refusal(of: parts) == .severalParts)
    }

    @Test("are refused if a name is unsafe or duplicated")
    func names() {
        for name in ["", "/etc/passwd", "../x", "a/../../x", "a\\b", "C:x", "a\0b", "a//b", "./a"] {
            #expect(refusal(of: ZIPWriter.Entry(name, "x")) == .unsafeName(name))
        }
        #expect(refusal(of: ZIPWriter.Entry("a..b/..c", "x")) == nil)
        let twice = ZIPWriter.archive([ZIPWriter.Entry("a", "x"), ZIPWriter.Entry("a", "y")])
        #expect(refusal(of: twice) == .duplicateName("a"))
        let long = ZIPWriter.Entry(String(repeating: "n", count: 1025), "x")
        #expect(refusal(of: long) == .nameTooLong(limit: 1024))
    }

    @Test("are refused if a file is encrypted or uses an unknown method")
    func methods() {
        var entry = ZIPWriter.Entry("a", "x")
        entry.flags = 0x801
        #expect(refusal(of: entry) == .encrypted("a"))
        #expect(
            refusal(of: ZIPWriter.Entry("a", [1], method: 93)) == .unknownMethod("a", method: 93)
        )
    }

    @Test("are refused if a file contradicts the directory")
    func lies() {
        let text = Array(String(repeating: "text ", count: 100).utf8)
        var entry = ZIPWriter.Entry("a", text)
        entry.checksum = 1
        #expect(refusal(of: entry) == .checksumMismatch("a"))
        entry = ZIPWriter.Entry("a", text)
        entry.byteCount = 499
        #expect(refusal(of: entry) == .damaged(what: "“a” is larger than it says"))
        entry.byteCount = 501
        #expect(refusal(of: entry) == .damaged(what: "“a” ends too early"))
        entry = ZIPWriter.Entry("a", text)
        entry.localName = Array("b".utf8)
        #expect(refusal(of: entry) == .damaged(what: "the header of “a” is another's"))
        entry = ZIPWriter.Entry("a", text)
        entry.packedByteCount = 5
        #expect(refusal(of: entry) == .damaged(what: "“a” ends too early"))
        entry = ZIPWriter.Entry("a", text, method: 0)
        entry.byteCount = 400
        #expect(refusal(of: entry) == .damaged(what: "“a” has two sizes"))
    }

    @Test("are refused if files overlap")
    func overlaps() {
        var second = ZIPWriter.Entry("b", "second")
        second.headerPlace = 5
        let archive = ZIPWriter.archive([ZIPWriter.Entry("a", "first"), second])
        #expect(refusal(of: archive) == .overlappingEntries("a"))
        second.headerPlace = 1 << 20
        let beyond = ZIPWriter.archive([ZIPWriter.Entry("a", "first"), second])
        #expect(refusal(of: beyond) == .damaged(what: "a file reaches into its directory"))
    }

    @Test("are refused if they unpack beyond the limits")
    func bombs() {
        let zeros = [UInt8](repeating: 0, count: 4 << 20)
        #expect(refusal(of: ZIPWriter.Entry("a", zeros)) == .ratioTooHigh("a", limit: 200))
        let limits = ArchiveLimits(
            entryCountMax: 2,
            entryByteCountMax: 100,
            totalByteCountMax: 150,
            ratioMax: 2000
        )
        let large = ZIPWriter.Entry("a", [UInt8](repeating: 0, count: 101))
        #expect(refusal(of: large, limits: limits) == .entryTooLarge("a", limit: 100))
        let names = ["a", "b", "c"]
        let entries = names.map { ZIPWriter.Entry($0, [UInt8](repeating: 0, count: 80)) }
        let two = ZIPWriter.archive(Array(entries.prefix(2)))
        #expect(refusal(of: two, limits: limits) == .archiveTooLarge(limit: 150))
        #expect(
            refusal(of: ZIPWriter.archive(entries), limits: limits) == .tooManyEntries(limit: 2)
        )
        let short = ArchiveLimits(directoryByteCountMax: 100)
        #expect(
            refusal(of: ZIPWriter.archive(entries), limits: short) == .directoryTooLarge(limit: 100)
        )
        // A file that is larger than announced is cut off at the announced size.
        var liar = ZIPWriter.Entry("a", zeros)
        liar.byteCount = 1000
        #expect(refusal(of: liar) == .damaged(what: "“a” is larger than it says"))
    }
}
