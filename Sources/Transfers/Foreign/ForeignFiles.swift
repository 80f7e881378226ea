// The JSON files of an export: the file itself, or those of an archive that contain conversations.

import JSONText

/// Opens the files of an export in order.
struct ForeignFiles {
    /// The export's name.
    let name: String
    /// Whether files may be of another kind, since they were chosen by their extension only.
    private(set) var mayBeOther = false

    private let source: any RandomAccessBytes
    private var archive: ZIPArchive?
    /// Files of the archive still to be read, the next one last.
    private var entries: [ZIPEntry] = []
    private var isRead = false
    private var skippedCount = 0

    init(_ source: any RandomAccessBytes, name: String, limits: ForeignLimits) throws {
        self.name = name
        self.source = source
        guard ZIPArchive.begins(try source.allBytes(at: 0, count: 4) ?? []) else { return }
        let archive = try ZIPArchive(source, limits: limits.archive)
        let all = archive.entries.filter {
            !$0.isFolder && $0.lastName.lowercased().hasSuffix(".json")
        }
        let named = all.filter { Self.isOfConversations($0.lastName) }
        mayBeOther = named.isEmpty
        entries = (named.isEmpty ? all : named).sorted { $0.name > $1.name }
        guard !entries.isEmpty else {
            throw TransferError.unknownFormat("the archive has no JSON file with conversations")
        }
        skippedCount = archive.entries.count { !$0.isFolder } - entries.count
        self.archive = archive
    }

    /// ChatGPT's `conversations.json`, in newer exports `conversations-000.json` and so on.
    private static func isOfConversations(_ name: Substring) -> Bool {
        guard name.hasPrefix("conversations"), name.hasSuffix(".json") else { return false }
        let middle = name.dropFirst("conversations".count).dropLast(".json".count)
        return middle.isEmpty
            || middle.first == "-" && middle.dropFirst().allSatisfy { $0.isASCII && $0.isNumber }
    }

    /// The next file; nil if there is none.
    mutating func next(_ notes: inout ForeignNotes) throws -> (any ByteSource, name: String)? {
        guard let archive else {
            defer { isRead = true }
            return isRead ? nil : (PlainByteSource(source), name)
        }
        if skippedCount > 0 {
            notes.object = name
            notes.skip("\(skippedCount) files", .otherFile)
            skippedCount = 0
        }
        guard let entry = entries.popLast() else { return nil }
        return (try archive.stream(of: entry), entry.name)
    }
}
