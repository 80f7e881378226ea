// Archives with unsafe names, ZIP bombs, and archives that contradict their directory.

extension HostileFile {
    private static let json = "conversations.json"

    private static func entry(
        _ change: (inout ZIPWriter.Entry) -> Void = { _ in }
    ) -> ZIPWriter.Entry {
        var entry = ZIPWriter.Entry(json, "[\(sound)]")
        change(&entry)
        return entry
    }

    static let archives: [HostileFile] = names + contents + directories

    private static let names: [HostileFile] = [
        "../conversations.json", "/conversations.json", "a/../../conversations.json",
        "..\\conversations.json", "C:conversations.json", "conversations.json\0.png", "a//b.json",
        "./conversations.json", "\u{1B}[2Jconversations.json", "",
    ].map { name in
        let archive = ZIPWriter.archive([ZIPWriter.Entry(name, "[]"), entry()])
        return refused("an archive with the name \(name.debugDescription)", archive, "unsafe name")
    }

    private static let contents: [HostileFile] = [
        refused(
            "a ZIP bomb of one file",
            ZIPWriter.archive([
                ZIPWriter.Entry(json, [UInt8](repeating: UInt8(ascii: " "), count: 8 << 20))
            ]),
            "grows by more than 200 times"
        ),
        refused(
            "a ZIP bomb that lies about its size",
            ZIPWriter.archive([
                entry {
                    $0.content = [UInt8](repeating: UInt8(ascii: " "), count: 8 << 20)
                    $0.byteCount = 100
                }
            ]),
            "larger than it says"
        ),
        refused(
            "a file of 2^40 bytes, it says",
            ZIPWriter.archive([
                entry {
                    $0.isWide = true
                    $0.byteCount = 1 << 40
                }
            ]),
            "more than 17179869184 bytes"
        ),
        refused(
            "a file of 2^63 - 1 packed bytes, it says",
            ZIPWriter.archive([
                entry {
                    $0.isWide = true
                    $0.packedByteCount = .max
                }
            ]),
            "reaches into its directory"
        ),
        refused(
            "an archive in an archive",
            ZIPWriter.archive([
                ZIPWriter.Entry(json, ZIPWriter.archive([entry()]))
            ]),
            "neither a ZIP archive nor JSON"
        ),
        refused("a false checksum", ZIPWriter.archive([entry { $0.checksum = 0 }]), "checksum"),
        refused("an encrypted file", ZIPWriter.archive([entry { $0.flags = 1 }]), "encrypted"),
        refused(
            "a file packed by LZMA",
            ZIPWriter.archive([entry { $0.method = 14 }]),
            "method 14"
        ),
        refused(
            "invalid deflate data",
            ZIPWriter.archive([
                entry {
                    $0.content = [0xFF, 0xFF, 0xFF, 0xFF]
                    $0.method = 0
                }
            ]).replacing([0, 0, 0, 0, 0, 0], at: 8, with: [8, 0]),
            "is another's"
        ),
        refused(
            "an archive without JSON",
            ZIPWriter.archive([.init("a.png", "x")]),
            "no JSON file"
        ),
        refused("an empty archive", ZIPWriter.archive([]), "no JSON file"),
    ]

    private static let directories: [HostileFile] = [
        refused("one name twice", ZIPWriter.archive([entry(), entry()]), "two files named"),
        refused(
            "files that share bytes",
            ZIPWriter.archive([
                entry(),
                entry {
                    $0.name = Array("conversations-1.json".utf8)
                    $0.headerPlace = 0
                },
            ]),
            "shares its bytes"
        ),
        refused(
            "a file beyond the end",
            ZIPWriter.archive([entry { $0.headerPlace = 1 << 30 }]),
            "reaches into its directory"
        ),
        refused(
            "another name in the file's own header",
            ZIPWriter.archive([entry { $0.localName = Array("conversations.jsom".utf8) }]),
            "is another's"
        ),
        refused(
            "a name of 60,000 bytes",
            ZIPWriter.archive([ZIPWriter.Entry(String(repeating: "n", count: 60_000), "x")]),
            "name above 1024 bytes"
        ),
        refused(
            "300,000 files, it says",
            ZIPWriter.archive([entry()], isWide: true)
                .replacing([1, 0, 0, 0, 0, 0, 0, 0], at: -66, with: [0xE0, 0x93, 4]),
            "more than 200000 files"
        ),
        refused(
            "two files, it says, and has one",
            ZIPWriter.archive([entry()]).replacing([1, 0], at: -12, with: [2, 0]),
            "fewer files"
        ),
        refused(
            "no files, it says, and has one",
            ZIPWriter.archive([entry()]).replacing([1, 0], at: -12, with: [0, 0]),
            "more files"
        ),
        refused(
            "a directory somewhere else",
            ZIPWriter.archive([entry()]).replacing([], at: -6, with: [1]),
            "not where it should be"
        ),
        refused(
            "a ZIP64 record nowhere",
            ZIPWriter.archive([entry()], isWide: true)
                .replacing([], at: -34, with: [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]),
            "ZIP64 record is missing"
        ),
        refused(
            "bytes before the archive",
            [0x50, 0x4B, 3, 4] + ZIPWriter.archive([entry()]),
            "not where it should be"
        ),
    ]
}

extension [UInt8] {
    /// The bytes with `new` at an offset, counted from the end if negative.
    func replacing(_ old: [UInt8], at place: Int, with new: [UInt8]) -> [UInt8] {
        var bytes = self
        let start = place < 0 ? count + place : place
        for (index, byte) in new.enumerated() { bytes[start + index] = byte }
        return bytes
    }
}
