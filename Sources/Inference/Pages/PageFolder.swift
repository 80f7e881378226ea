// The folder of KV cache pages on disk: a file for each scope, up to a total size.
//
// It is only a cache: a file with an error is discarded with a line in the log. Nothing is synced
// to disk, since checksums detect incomplete writes after a power failure.

import Checkpoints
import Glibc
import PhiModel

/// The files, used by a single thread. A value except for the disk.
package struct PageFolder: Sendable {
    private struct File: Sendable {
        var byteCount: Int
        /// The number of its latest use.
        var lastUse: Int
    }

    /// The progress of writing a sequence: the content of its file, and the slots of its first
    /// pages there.
    private struct Progress: Sendable {
        let sequence: PageSequence
        var tree: PageTree
        var slots: [Int]
    }

    static let suffix = ".kv"

    /// Maximum size of all files together in bytes.
    package let byteLimit: Int
    private let folder: String
    private let log: @Sendable (String) -> Void
    private let lock: PageFolderLock
    /// The note that an earlier process left.
    let note: PageNote
    private var files: [String: File] = [:]
    private var uses = 0
    /// The progress of the latest sequence if it has more pages to write, a few at a time:
    /// searching for its end in the file each time would take longer and longer. It is discarded
    /// with the file, and by the next sequence.
    private var progress: Progress?
    /// Total size of all files in bytes.
    package private(set) var byteCount = 0

    /// Opens the folder, and creates it if it is missing; reads none of its files.
    /// - Parameters:
    ///   - path: the folder, which must contain only these files.
    ///   - byteLimit: maximum size of all files together in bytes; reduced to half of the free disk
    ///     space if that is less.
    ///   - log: receives a line for each file that is discarded because of an error.
    /// - Throws: `.inUse`, or `.system` if the folder cannot be created, read or locked.
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

    /// Unlocks the folder.
    package func close() {
        lock.unlock()
    }

    /// The scopes with stored pages.
    package var scopes: Set<String> { Set(files.keys) }

    // MARK: - Writing

    /// Writes pages of a sequence, as far as there is space.
    /// - Parameters:
    ///   - pages: consecutive pages; the first one is page `first` of the sequence.
    ///   - sequence: the sequence.
    ///   - first: at most the page that was requested before.
    /// - Returns: the first page of the sequence that should be stored next; nil for none.
    package mutating func keep(
        _ pages: [BorrowedPage],
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
        _ pages: [BorrowedPage],
        of sequence: PageSequence,
        from first: Int
    ) throws(PageStoreError) -> Int? {
        var progress = takeProgress(of: sequence)
        let known = progress.slots.count
        // Earlier pages have been removed meanwhile, or these are already stored.
        guard known >= first, known < first + pages.count else { return wanted(after: progress) }
        let file = try open(sequence)
        defer { Glibc.close(file) }
        for page in pages.dropFirst(known - first).prefix(sequence.pageCount - known) {
            guard try write(page, to: file, &progress) else { return nil }
        }
        touch(sequence.scope)
        return wanted(after: progress)
    }

    /// Writes the next page of a sequence.
    /// - Returns: false if there is no space for it.
    private mutating func write(
        _ page: BorrowedPage,
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

    /// Takes the progress of a sequence out of `progress`, so that changing it copies nothing.
    private mutating func takeProgress(of sequence: PageSequence) -> Progress {
        let latest = progress
        progress = nil
        // Equal tokens mostly share storage, so the comparison is fast.
        if let latest, latest.sequence == sequence { return latest }
        let tree = read(sequence)?.tree ?? PageTree()
        let slots = tree.slots(of: sequence.chunks, sequence.ropeFactors)
        return Progress(sequence: sequence, tree: tree, slots: slots)
    }

    /// The next missing page of a sequence; nil for none.
    private mutating func wanted(after progress: Progress) -> Int? {
        guard progress.slots.count < progress.sequence.pageCount else { return nil }
        self.progress = progress
        return progress.slots.count
    }

    /// Opens the file of a scope, and writes its header if it is new.
    private mutating func open(_ sequence: PageSequence) throws(PageStoreError) -> Int32 {
        let path = self.path(of: sequence.scope)
        let isNew = files[sequence.scope] == nil
        // A file with the name of a new one is not ours.
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

    /// Extends the file to this number of slots.
    /// - Returns: false if that would exceed the limit of all files.
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

    /// Writes a page whose first positions belong to the sequence.
    /// - Returns: the checksum of the written bytes.
    private func write(
        _ page: BorrowedPage,
        positions: Int,
        to file: Int32,
        _ slot: Int,
        _ format: PageFormat
    ) throws(PageStoreError) -> UInt64 {
        guard positions < KeyValuePool.pagePositions else {
            try Self.write(page.bytes, to: file, at: format.pageOffset(slot))
            return PageChecksum.of(page.bytes)
        }
        // The other positions may contain data of another scope.
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

    // MARK: - Lookup

    /// Finds the longest stored prefix of a sequence, and returns its pages after the known ones.
    /// - Parameters:
    ///   - sequence: the sequence to look up.
    ///   - knownCount: the number of positions that are already known.
    /// - Returns: nil if no more pages are stored.
    package mutating func find(
        _ sequence: PageSequence,
        beyond knownCount: Int
    ) -> StoredPages? {
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
                // The last page of the path is copied: another answer's page may replace it
                // meanwhile.
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
        // For the LRU order after a restart.
        utimensat(AT_FDCWD, self.path(of: sequence.scope), nil, 0)
        var found = sequence
        found.tokens = Array(sequence.tokens.prefix(count))
        return StoredPages(found, firstPage: firstPage, pages: pages, copy: copy, file: file)
    }

    /// The content of the scope's file, if it is valid.
    private mutating func read(_ sequence: PageSequence) -> (file: MappedFile, tree: PageTree)? {
        guard files[sequence.scope] != nil else { return nil }
        let file: MappedFile
        do throws(CheckpointError) {
            file = try MappedFile(path: path(of: sequence.scope))
        } catch {
            log("KV cache pages \(path(of: sequence.scope)) missing: \(error)")
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

    // MARK: - Removal

    /// Removes the stored pages of a scope.
    package mutating func remove(_ scope: String) {
        if progress?.sequence.scope == scope { progress = nil }
        guard let file = files.removeValue(forKey: scope) else { return }
        byteCount -= file.byteCount
        if unlink(path(of: scope)) != 0, errno != ENOENT {
            log("cannot remove \(path(of: scope)): \(PageStoreError.latest("unlink it"))")
        }
    }

    private mutating func discard(_ scope: String, _ error: PageStoreError) {
        log("KV cache pages \(path(of: scope)) discarded: \(error)")
        remove(scope)
    }

    /// Removes files, least recently used first, until there is space for this number of bytes.
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

    /// Whether a scope is a valid file name.
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
