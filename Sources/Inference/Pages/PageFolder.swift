// The folder of the kept pages: a file for each scope, up to a number of bytes together.
//
// All of it is a cache. Whatever is wrong with a file, or goes wrong with it, costs the file and a line
// in the log; nothing is synced to the disk, as checksums find what a power failure left half written.

import Checkpoints
import Glibc
import PhiModel

/// The files, for the one thread that touches them. A value but for the disk.
package struct PageFolder: Sendable {
    private struct File: Sendable {
        var byteCount: Int
        /// The number of its latest use.
        var lastUse: Int
    }

    /// How far a sequence has come: what its file has, and the slots there of its first pages.
    private struct Progress: Sendable {
        let sequence: PageSequence
        var tree: PageTree
        var slots: [Int]
    }

    static let suffix = ".kv"

    /// The most bytes of all files together.
    package let byteLimit: Int
    private let folder: String
    private let log: @Sendable (String) -> Void
    private let lock: PageFolderLock
    /// What an earlier life of the process left to say.
    let note: PageNote
    private var files: [String: File] = [:]
    private var uses = 0
    /// Of the sequence that was kept last and has more to come, a few pages at a time: to look for its
    /// end in the file each time would take ever longer. It ends with the file, and with the next
    /// sequence that is kept.
    private var progress: Progress?
    /// Of all files together.
    package private(set) var byteCount = 0

    /// Opens the folder and makes it where it is missing; looks into none of its files.
    /// - Parameters:
    ///   - path: the folder, of nothing but these files.
    ///   - byteLimit: the most bytes of all files together; less where the disk has not twice as much
    ///     to spare, as others need it more.
    ///   - log: gets a line for each file that is given up because something is wrong with it.
    /// - Throws: `.inUse`, or `.system` where the folder cannot be made, read or locked.
    package init(
        path: String,
        byteLimit: Int,
        log: @escaping @Sendable (String) -> Void
    ) throws(PageStoreError) {
        try Self.makeFolder(path)
        lock = try PageFolderLock(path)
        let found = try Self.list(path)
        let ownByteCount = found.reduce(0) { $0 + $1.byteCount }
        let spare = Self.freeByteCount(path).map { ($0 + ownByteCount) / 2 }
        self.byteLimit = min(byteLimit, spare ?? byteLimit)
        folder = path
        self.log = log
        note = PageNote(folder: path, log: log)
        for file in found {
            files[file.scope] = File(byteCount: file.byteCount, lastUse: uses)
            uses += 1
        }
        byteCount = ownByteCount
        _ = makeRoom(for: 0, keeping: nil)
    }

    /// Lets others have the folder.
    package func close() {
        lock.unlock()
    }

    /// Whose pages are kept.
    package var scopes: Set<String> { Set(files.keys) }

    // MARK: - Keeping

    /// Keeps pages of a sequence, as far as there is room.
    /// - Parameters:
    ///   - pages: follow each other; the first one is the sequence's page `first`.
    ///   - sequence: whose.
    ///   - first: at most the page that was asked for before.
    /// - Returns: the first of the sequence's pages that is not kept and should be; nil for none.
    package mutating func keep(
        _ pages: [LentPage],
        of sequence: PageSequence,
        from first: Int
    ) -> Int? {
        guard Self.isName(sequence.scope) else { return nil }
        do throws(PageStoreError) {
            return try write(pages, of: sequence, from: first)
        } catch {
            discard(sequence.scope, error)
            return nil
        }
    }

    private mutating func write(
        _ pages: [LentPage],
        of sequence: PageSequence,
        from first: Int
    ) throws(PageStoreError) -> Int? {
        var progress = takeProgress(of: sequence)
        let known = progress.slots.count
        // Pages that went before these have gone meanwhile, or these are there already.
        guard known >= first, known < first + pages.count else { return wanted(after: progress) }
        let file = try open(sequence)
        defer { Glibc.close(file) }
        for page in pages.dropFirst(known - first).prefix(sequence.pageCount - known) {
            guard try write(page, to: file, &progress) else { return nil }
        }
        touch(sequence.scope)
        return wanted(after: progress)
    }

    /// Writes a sequence's next page.
    /// - Returns: false where there is no room for it.
    private mutating func write(
        _ page: LentPage,
        to file: Int32,
        _ progress: inout Progress
    ) throws(PageStoreError) -> Bool {
        let sequence = progress.sequence
        let chunk = sequence.chunk(progress.slots.count)
        let parent = progress.slots.last
        let slot = progress.tree.newSlot(for: chunk, after: parent, sequence.ropeFactors)
        if slot == progress.tree.records.count {
            guard try grow(file, of: sequence, slots: slot + 1) else { return false }
        }
        let checksum = try write(page, positions: chunk.count, to: file, slot, sequence.format)
        let record = PageRecord(
            parent: parent,
            ropeFactors: sequence.ropeFactors,
            tokens: Array(chunk),
            pageChecksum: checksum
        )
        try Self.write(record.bytes, to: file, at: sequence.format.recordOffset(slot))
        progress.tree.put(record, in: slot)
        progress.slots.append(slot)
        return true
    }

    /// How far a sequence has come. It is not here any more, so that changing it copies nothing.
    private mutating func takeProgress(of sequence: PageSequence) -> Progress {
        let latest = progress
        progress = nil
        // The same tokens mostly lie at the same place, so that they need not be compared.
        if let latest, latest.sequence == sequence { return latest }
        let tree = read(sequence)?.tree ?? PageTree()
        let slots = tree.slots(of: sequence.chunks, sequence.ropeFactors)
        return Progress(sequence: sequence, tree: tree, slots: slots)
    }

    /// The page that a sequence lacks; nil for none.
    private mutating func wanted(after progress: Progress) -> Int? {
        guard progress.slots.count < progress.sequence.pageCount else { return nil }
        self.progress = progress
        return progress.slots.count
    }

    /// Opens the file of a scope, which begins with the header from then on.
    private mutating func open(_ sequence: PageSequence) throws(PageStoreError) -> Int32 {
        let path = self.path(of: sequence.scope)
        let isNew = files[sequence.scope] == nil
        // Whatever is there under the name of a new one is none of ours.
        if isNew { unlink(path) }
        let flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (isNew ? O_CREAT | O_EXCL : 0)
        let file = Glibc.open(path, flags, 0o600)
        guard file >= 0 else { throw .latest("open it") }
        guard isNew else { return file }
        setByteCount(PageFormat.blockByteCount, of: sequence.scope)
        do throws(PageStoreError) {
            guard ftruncate(file, off_t(PageFormat.blockByteCount)) == 0 else {
                throw PageStoreError.latest("make it longer")
            }
            try Self.write(sequence.format.header, to: file, at: 0)
        } catch {
            Glibc.close(file)
            throw error
        }
        return file
    }

    /// Makes room for so many slots.
    /// - Returns: false where that would be more than all files may have.
    private mutating func grow(
        _ file: Int32,
        of sequence: PageSequence,
        slots: Int
    ) throws(PageStoreError) -> Bool {
        guard makeRoom(for: sequence.format.slotByteCount, keeping: sequence.scope) else {
            return false
        }
        let byteCount = sequence.format.fileByteCount(slots: slots)
        guard ftruncate(file, off_t(byteCount)) == 0 else { throw .latest("make it longer") }
        setByteCount(byteCount, of: sequence.scope)
        return true
    }

    /// Writes a page of which so many positions are the sequence's.
    /// - Returns: the checksum of what was written.
    private func write(
        _ page: LentPage,
        positions: Int,
        to file: Int32,
        _ slot: Int,
        _ format: PageFormat
    ) throws(PageStoreError) -> UInt64 {
        guard positions < KeyValuePool.pagePositions else {
            try Self.write(page.bytes, to: file, at: format.pageOffset(slot))
            return PageChecksum.of(page.bytes)
        }
        // What lies behind them may be another scope's.
        let copy = UnsafeMutableRawBufferPointer.allocate(
            byteCount: page.bytes.count,
            alignment: 64
        )
        defer { copy.deallocate() }
        copy.copyMemory(from: page.bytes)
        format.layout.clear(copy, from: positions)
        try Self.write(UnsafeRawBufferPointer(copy), to: file, at: format.pageOffset(slot))
        return PageChecksum.of(UnsafeRawBufferPointer(copy))
    }

    private static func write(
        _ bytes: [UInt8],
        to file: Int32,
        at offset: Int
    ) throws(PageStoreError) {
        let failure = bytes.withUnsafeBytes { failureOfWriting($0, to: file, at: offset) }
        if let failure { throw failure }
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer,
        to file: Int32,
        at offset: Int
    ) throws(PageStoreError) {
        if let failure = failureOfWriting(bytes, to: file, at: offset) { throw failure }
    }

    private static func failureOfWriting(
        _ bytes: UnsafeRawBufferPointer,
        to file: Int32,
        at offset: Int
    ) -> PageStoreError? {
        guard let start = bytes.baseAddress else { return nil }
        var done = 0
        while done < bytes.count {
            let count = pwrite(file, start + done, bytes.count - done, off_t(offset + done))
            guard count >= 0 || errno == EINTR else { return .latest("write to it") }
            done += max(0, count)
        }
        return nil
    }

    // MARK: - Finding

    /// The longest beginning of a sequence that is kept, as pages from where the known ones end.
    /// - Parameters:
    ///   - sequence: what is looked for.
    ///   - knownCount: positions that need not be found.
    /// - Returns: nil where nothing more is kept.
    package mutating func find(
        _ sequence: PageSequence,
        beyond knownCount: Int
    ) -> KeptPages? {
        guard let (file, tree) = read(sequence) else { return nil }
        defer { extendLifetime(file) }
        let path = tree.match(sequence.tokens, sequence.ropeFactors)
        let count = path.reduce(0) { $0 + $1.count }
        guard count > knownCount else { return nil }
        let firstPage = knownCount / KeyValuePool.pagePositions
        var pages: [UnsafeRawBufferPointer] = []
        var copy: UnsafeMutableRawBufferPointer?
        for step in path.dropFirst(firstPage) {
            let start = sequence.format.pageOffset(step.slot)
            let range = start..<start + sequence.format.layout.byteCount
            let page = UnsafeRawBufferPointer(rebasing: file.bytes[range])
            let record = tree.records[step.slot]
            guard PageChecksum.of(page) == record.pageChecksum else {
                discard(sequence.scope, .damaged)
                return nil
            }
            if record.isFull {
                pages.append(page)
            } else {
                // The last of the path. Another answer's pages may replace it while this one waits.
                let bytes = UnsafeMutableRawBufferPointer.allocate(
                    byteCount: page.count,
                    alignment: 64
                )
                bytes.copyMemory(from: page)
                copy = bytes
                pages.append(UnsafeRawBufferPointer(bytes))
            }
        }
        touch(sequence.scope)
        // For the order of uses after a restart.
        utimensat(AT_FDCWD, self.path(of: sequence.scope), nil, 0)
        var found = sequence
        found.tokens = Array(sequence.tokens.prefix(count))
        return KeptPages(found, firstPage: firstPage, pages: pages, copy: copy, file: file)
    }

    /// What the scope's file has, if there is one that can be used.
    private mutating func read(_ sequence: PageSequence) -> (file: MappedFile, tree: PageTree)? {
        guard files[sequence.scope] != nil else { return nil }
        let file: MappedFile
        do throws(CheckpointError) {
            file = try MappedFile(path: path(of: sequence.scope))
        } catch {
            log("the kept pages \(path(of: sequence.scope)) are gone: \(error)")
            remove(sequence.scope)
            return nil
        }
        defer { extendLifetime(file) }
        do throws(PageStoreError) {
            return (file, try PageTree(file.bytes, sequence.format))
        } catch {
            discard(sequence.scope, error)
            return nil
        }
    }

    // MARK: - Forgetting

    /// Removes what is kept of a scope.
    package mutating func remove(_ scope: String) {
        if progress?.sequence.scope == scope { progress = nil }
        guard let file = files.removeValue(forKey: scope) else { return }
        byteCount -= file.byteCount
        if unlink(path(of: scope)) != 0, errno != ENOENT {
            log("cannot remove \(path(of: scope)): \(PageStoreError.latest("unlink it"))")
        }
    }

    private mutating func discard(_ scope: String, _ error: PageStoreError) {
        log("the kept pages \(path(of: scope)) are discarded, their prompt is read anew: \(error)")
        remove(scope)
    }

    /// Removes files, those first that were not used for longest, until so many bytes more have room.
    private mutating func makeRoom(for more: Int, keeping scope: String?) -> Bool {
        while byteCount + more > byteLimit {
            let oldest = files.filter { $0.key != scope }
                .min { $0.value.lastUse < $1.value.lastUse }
            guard let oldest else { return false }
            remove(oldest.key)
        }
        return true
    }

    // MARK: - The files

    private mutating func touch(_ scope: String) {
        uses += 1
        files[scope]?.lastUse = uses
    }

    private mutating func setByteCount(_ count: Int, of scope: String) {
        byteCount += count - (files[scope]?.byteCount ?? 0)
        files[scope, default: File(byteCount: 0, lastUse: uses)].byteCount = count
    }

    private func path(of scope: String) -> String { "\(folder)/\(scope)\(Self.suffix)" }

    /// Whether a scope can be a file's name.
    static func isName(_ scope: String) -> Bool {
        (1...64).contains(scope.utf8.count)
            && scope.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}
