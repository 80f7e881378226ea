import Checkpoints
import FoundationEssentials
import Glibc
import Inference
import PhiModel
import TestSupport
import Testing

@Suite("Page folder")
struct PageFolderTests {
    private let model: PhiModel
    private let session: PhiSession
    private let temporary: TemporaryFolder
    private let log = LogLines()
    private let page = KeyValuePool.pagePositions

    init() throws {
        model = try DemoModel.load().model
        session = model.makeSession(threadCount: 1)
        temporary = try TemporaryFolder()
    }

    private var path: String { "\(temporary.path)/kv" }

    private func open(byteLimit: Int = 1 << 30) throws -> PageFolder {
        try PageFolder(path: path, byteLimit: byteLimit) { [log] in log.write($0) }
    }

    private func tokens(_ count: Int, from first: TokenID = 100) -> [TokenID] {
        (0..<count).map { first + TokenID($0) }
    }

    private func sequence(
        _ tokens: [TokenID],
        scope: String = "a",
        identity: String = "this model"
    ) -> PageSequence {
        PageSequence(
            scope: scope,
            ropeFactors: .plain,
            tokens: tokens,
            format: PageFormat(identity: identity, layout: model.pageLayout)
        )
    }

    private func makeCache(_ pool: KeyValuePool) -> KeyValueCache {
        model.makeCache(capacity: 300, ropeFactors: .plain, pool: pool)
    }

    /// The logits after `tokens`, which follow those in the cache.
    @discardableResult
    private func read(_ tokens: [TokenID], _ cache: KeyValueCache) throws -> [Float]? {
        try session.forward([SequenceStep(tokens: tokens, cache: cache, wantsLogits: true)])[0]
    }

    /// Computes `tokens` and stores their pages, two at a time.
    private func keep(
        _ tokens: [TokenID],
        scope: String = "a",
        in folder: inout PageFolder,
        _ cache: KeyValueCache? = nil
    ) throws {
        let cache = try cache ?? makeCache(model.makePool(pageCount: 20))
        try read(tokens, cache)
        let pages = Array(cache.filledPages)
        let sequence = sequence(tokens, scope: scope)
        var wanted = folder.keep([], of: sequence, from: 0)
        for _ in pages {
            guard let next = wanted else { break }
            let lent = pages[next...].prefix(2).map(BorrowedPage.init)
            wanted = folder.keep(lent, of: sequence, from: next)
        }
        withExtendedLifetime(cache) {}
    }

    /// The tokens of the stored pages of a sequence.
    private func found(
        _ sequence: PageSequence,
        beyond knownCount: Int = 0,
        in folder: inout PageFolder
    ) -> [TokenID]? {
        folder.find(sequence, beyond: knownCount)?.sequence.tokens
    }

    /// Writes pages to the folder.
    private func wanted(
        after pages: ArraySlice<KeyValuePage>,
        of sequence: PageSequence,
        in folder: inout PageFolder
    ) -> Int? {
        folder.keep(pages.map(BorrowedPage.init), of: sequence, from: pages.startIndex)
    }

    /// The size of a file with this number of pages.
    private func byteCount(pages: Int) throws -> Int {
        let other = try TemporaryFolder()
        var folder = try PageFolder(path: "\(other.path)/kv", byteLimit: 1 << 30) { _ in }
        try keep(tokens(pages * page), in: &folder)
        return folder.byteCount
    }

    private func file(_ scope: String = "a") -> String { "\(path)/\(scope).kv" }

    private func bytes(of scope: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: file(scope))))
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    // MARK: - Restoring

    @Test(
        "pages are restored exactly, also after a restart",
        arguments: [1, 31, 32, 33, 70]
    )
    func restart(count: Int) throws {
        let pool = try model.makePool(pageCount: 20)
        let original = makeCache(pool)
        var folder = try open()
        try keep(tokens(count), in: &folder, original)
        folder.close()

        var reopened = try open()
        #expect(reopened.scopes == ["a"])
        #expect(reopened.byteCount == folder.byteCount)
        let found = reopened.find(sequence(tokens(count + 9)), beyond: 0)
        let kept = try #require(found)
        #expect(kept.sequence.tokens == tokens(count))
        let restored = makeCache(pool)
        let pages = (kept.firstPage..<kept.endPage).compactMap { kept.makePage($0, in: pool) }
        restored.share(pages, count: count, ropeFactors: .plain)
        #expect(try read([7, 8], restored) == read([7, 8], original))
        #expect(log.lines.isEmpty)
    }

    @Test("pages are restored a few at a time, until the pool is full")
    func parts() throws {
        let pool = try model.makePool(pageCount: 20)
        let original = makeCache(pool)
        var folder = try open()
        try keep(tokens(150), in: &folder, original)
        let found = folder.find(sequence(tokens(150)), beyond: 32)
        let kept = try #require(found)
        var restoration = PageRestoration(kept, after: Array(original.filledPages.prefix(1)))
        for copied in [2, 2, 0] {
            #expect(restoration.isComplete == (copied == 0))
            #expect(restoration.copy(2, into: pool) == copied)
        }
        #expect(restoration.leftCount == 0)
        #expect(Array(restoration.tokens) == tokens(150))
        let restored = makeCache(pool)
        restored.share(restoration.pages, count: 150, ropeFactors: .plain)
        #expect(try read([7, 8], restored) == read([7, 8], original))

        var cutOff = PageRestoration(kept, after: Array(original.filledPages.prefix(2)))
        #expect(try cutOff.copy(.max, into: model.makePool(pageCount: 1)) == 1)
        #expect(cutOff.isComplete)
        #expect(Array(cutOff.tokens) == tokens(3 * page))
    }

    @Test("only unknown pages with the same tokens, scope and factor set are restored")
    func beyond() throws {
        var folder = try open()
        try keep(tokens(70), in: &folder)
        let kept = folder.find(sequence(tokens(70)), beyond: 2 * page + 1)
        #expect(kept?.firstPage == 2)
        #expect(kept?.endPage == 3)
        #expect(found(sequence(tokens(70)), beyond: 70, in: &folder) == nil)
        #expect(found(sequence([7] + tokens(70)), in: &folder) == nil)
        #expect(found(sequence(tokens(70), scope: "b"), in: &folder) == nil)
        var long = sequence(tokens(70))
        long.ropeFactors = .long
        #expect(found(long, in: &folder) == nil)
        #expect(found(sequence(tokens(40) + [7]), in: &folder) == tokens(40))
    }

    @Test("a continuation adds only new pages, and branches share their prefix")
    func growth() throws {
        var folder = try open()
        try keep(tokens(70), in: &folder)
        try keep(tokens(90), in: &folder)
        #expect(try folder.byteCount == byteCount(pages: 3))
        try keep(tokens(100), in: &folder)
        #expect(try folder.byteCount == byteCount(pages: 4))
        try keep(tokens(80), in: &folder)
        #expect(try folder.byteCount == byteCount(pages: 4))
        try keep(tokens(80) + [7], in: &folder)
        #expect(try folder.byteCount == byteCount(pages: 5))
        #expect(found(sequence(tokens(100)), in: &folder) == tokens(100))
        #expect(found(sequence(tokens(80) + [7]), in: &folder) == tokens(80) + [7])
    }

    @Test("found pages stay valid while a longer answer replaces the last one")
    func replacement() throws {
        let pool = try model.makePool(pageCount: 20)
        let original = makeCache(pool)
        var folder = try open()
        try keep(tokens(40), in: &folder, original)
        let found = folder.find(sequence(tokens(40)), beyond: 0)
        let kept = try #require(found)
        try keep(tokens(40) + [7, 7, 7], in: &folder)
        folder.remove("a")
        let restored = makeCache(pool)
        let pages = (kept.firstPage..<kept.endPage).compactMap { kept.makePage($0, in: pool) }
        restored.share(pages, count: 40, ropeFactors: .plain)
        #expect(try read([8], restored) == read([8], original))
    }

    @Test("pages that were removed meanwhile are requested again")
    func again() throws {
        let cache = try makeCache(model.makePool(pageCount: 20))
        try read(tokens(3 * page), cache)
        let pages = Array(cache.filledPages)
        let sequence = sequence(tokens(3 * page))
        var folder = try open()
        #expect(wanted(after: [], of: sequence, in: &folder) == 0)
        #expect(wanted(after: pages[..<2], of: sequence, in: &folder) == 2)
        folder.remove("a")
        #expect(wanted(after: pages[2...], of: sequence, in: &folder) == 0)
        #expect(wanted(after: pages[...], of: sequence, in: &folder) == nil)
        #expect(wanted(after: [], of: sequence, in: &folder) == nil)
        withExtendedLifetime(cache) {}
    }

    @Test("writes of several sequences may alternate, in one scope or several")
    func turns() throws {
        let trunk = tokens(2 * page)
        let others = [
            sequence(trunk + tokens(40, from: 500)), sequence(trunk + tokens(70, from: 700)),
            sequence(tokens(3 * page, from: 900), scope: "b"),
        ]
        var folder = try open()
        let caches = try others.map { sequence in
            let cache = try makeCache(model.makePool(pageCount: 20))
            try read(sequence.tokens, cache)
            return cache
        }
        var next = others.map { folder.keep([], of: $0, from: 0) }
        for _ in 0..<5 {
            for (index, sequence) in others.enumerated() {
                guard let first = next[index] else { continue }
                let pages = Array(caches[index].filledPages)[first...].prefix(1)
                next[index] = wanted(after: pages, of: sequence, in: &folder)
            }
        }
        #expect(next == [nil, nil, nil])
        for sequence in others { #expect(found(sequence, in: &folder) == sequence.tokens) }
        withExtendedLifetime(caches) {}
    }

    // MARK: - Errors

    /// Changes the file and looks up its pages; none may be restored.
    private func expectDiscarded(
        _ cause: String,
        identity: String = "this model",
        _ change: (inout [UInt8]) -> Void,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var folder = try open()
        try keep(tokens(70), in: &folder)
        var bytes = try bytes(of: "a")
        change(&bytes)
        try Data(bytes).write(to: URL(filePath: file()))
        let linesBefore = log.lines.count
        let kept = found(sequence(tokens(70), identity: identity), in: &folder)
        #expect(kept == nil, sourceLocation: sourceLocation)
        #expect(log.lines.count == linesBefore + 1, sourceLocation: sourceLocation)
        #expect(log.lines.last?.contains(cause) == true, sourceLocation: sourceLocation)
        #expect(!FileManager.default.fileExists(atPath: file()), sourceLocation: sourceLocation)
        #expect(folder.scopes.isEmpty, sourceLocation: sourceLocation)
        #expect(folder.byteCount == 0, sourceLocation: sourceLocation)
        // Recomputed pages are stored again.
        try keep(tokens(70), in: &folder)
        #expect(found(sequence(tokens(70)), in: &folder) == tokens(70))
        folder.remove("a")
        folder.close()
    }

    @Test("a file with a flipped bit is discarded, wherever the bit is")
    func flippedBits() throws {
        for offset in [8, 20, 44, 52, 4096, 4100, 4096 + 40, 4096 + 150, 8192, 100_000] {
            try expectDiscarded("checksum mismatch") { $0[offset] ^= 4 }
        }
        try expectDiscarded("checksum mismatch") { $0[$0.count - 70_000] ^= 4 }
        try expectDiscarded("not a page file") { $0[0] ^= 4 }
    }

    @Test("a truncated file is discarded, wherever it ends")
    func truncated() throws {
        for count in [1, 4095, 4097, 8192, 100_000] {
            try expectDiscarded("truncated") { $0 = Array($0.prefix(count)) }
        }
        try expectDiscarded("truncated") { $0.removeAll() }
        try expectDiscarded("truncated") { $0.removeLast() }
    }

    @Test("pages of another model, template or kernels are discarded")
    func otherModel() throws {
        try expectDiscarded("another model", identity: "another model") { _ in }
    }

    // MARK: - Limits and privacy

    @Test("the folder stays within its limit; the least recently used file is removed first")
    func limit() throws {
        let limit = try 2 * byteCount(pages: 2)
        var folder = try open(byteLimit: limit)
        for (index, scope) in ["a", "b"].enumerated() {
            try keep(tokens(2 * page, from: TokenID(index)), scope: scope, in: &folder)
        }
        #expect(found(sequence(tokens(2 * page, from: 0)), in: &folder) != nil)
        try keep(tokens(2 * page, from: 2), scope: "c", in: &folder)
        #expect(folder.scopes == ["a", "c"])
        #expect(folder.byteCount == limit)
        #expect(!FileManager.default.fileExists(atPath: file("b")))
        // A sequence larger than the limit is stored as far as it fits.
        try keep(tokens(9 * page, from: 3), scope: "d", in: &folder)
        #expect(folder.scopes == ["d"])
        #expect(folder.byteCount <= limit)
        let kept = folder.find(sequence(tokens(9 * page, from: 3), scope: "d"), beyond: 0)
        #expect(kept?.endPage == 4)
        folder.close()
        // A lower limit is applied on opening.
        #expect(try open(byteLimit: 1).scopes.isEmpty)
    }

    @Test("only the owner can enter the folder and read its files")
    func modes() throws {
        var folder = try open()
        try keep(tokens(3), in: &folder)
        #expect(mode(path) == 0o700)
        #expect(mode(file()) == 0o600)
    }

    @Test("a file contains no data of earlier sequences in the same memory")
    func foreignRest() throws {
        let pool = try model.makePool(pageCount: 1)
        try read(tokens(page, from: 500), makeCache(pool))
        var folder = try open()
        try keep(tokens(5), scope: "used", in: &folder, makeCache(pool))
        try keep(tokens(5), scope: "fresh", in: &folder)
        #expect(try bytes(of: "used") == bytes(of: "fresh"))
    }

    @Test(
        "a scope that is not a file name is not stored",
        arguments: ["../x", "", "a/b", ".", "ä"]
    )
    func names(scope: String) throws {
        var folder = try open()
        try keep(tokens(5), scope: scope, in: &folder)
        #expect(folder.scopes.isEmpty)
        #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == ["kv"])
    }

    @Test("special files are not opened, and are replaced")
    func noFile() throws {
        try open().close()
        try #require(mkfifo(file(), 0o600) == 0)
        var folder = try open()
        #expect(folder.scopes.isEmpty)
        try keep(tokens(page + 5), in: &folder)
        #expect(found(sequence(tokens(page + 9)), in: &folder) == tokens(page + 5))
    }

    @Test("two processes do not use one folder")
    func lock() throws {
        let folder = try open()
        #expect(throws: PageStoreError.inUse(folder: path)) { try open() }
        folder.close()
        try open().close()
    }
}
