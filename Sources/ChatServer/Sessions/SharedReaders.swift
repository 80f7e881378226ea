// Readers with share links on this node: limits their number, and checks that their links are
// valid.

import ChatProtocol
import ChatStore
import EventLoop

/// The readers with share links on one node.
final class SharedReaders {
    /// Maximum readers of all links, and of one.
    private static let countMax = 1000
    private static let countMaxPerLink = 100
    /// Interval of the checks.
    private static let interval = Duration.milliseconds(900)

    private let loop: EventLoop
    private let store: Store
    private var readers: [ShareID: [ObjectIdentifier: SharedSession]] = [:]
    private var count = 0
    private var isLooking = false

    init(loop: EventLoop, store: Store) {
        self.loop = loop
        self.store = store
    }

    /// Adds a reader.
    /// - Throws: `WireError.busy` if there are too many.
    func add(_ reader: SharedSession) throws(WireError) {
        let share = reader.share.id
        guard count < Self.countMax, readers[share, default: [:]].count < Self.countMaxPerLink
        else { throw WireError(.busy, "too many readers: try again later", retryAfter: 30) }
        readers[share, default: [:]][ObjectIdentifier(reader)] = reader
        count += 1
        look()
    }

    func remove(_ reader: SharedSession) {
        let share = reader.share.id
        guard readers[share]?.removeValue(forKey: ObjectIdentifier(reader)) != nil else { return }
        count -= 1
        if readers[share]?.isEmpty == true { readers[share] = nil }
    }

    /// Ends the readers of a link that was revoked on this node.
    func end(_ share: ShareID) {
        for reader in (readers[share] ?? [:]).values { reader.close(.linkEnded) }
    }

    /// Checks once a second that the links are valid, whatever ended them and on whichever node.
    private func look() {
        guard !isLooking else { return }
        isLooking = true
        loop.spawn { [self] in
            while !readers.isEmpty {
                do { try await loop.sleep(for: Self.interval) } catch { return }
                let known = Array(readers.keys)
                guard let open = try? await store.shares.open(among: known) else { continue }
                for share in known where !open.contains(share) { end(share) }
            }
            isLooking = false
        }
    }
}
