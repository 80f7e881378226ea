// Those who read by links on this node: how many, and whether their links are still good.

import ChatProtocol
import ChatStore
import EventLoop

/// The readers by links of one node.
final class SharedReaders {
    /// Readers of all links, and of one.
    private static let countMax = 1000
    private static let countMaxPerLink = 100
    /// How often links are looked at.
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

    /// Takes a reader.
    /// - Throws: `WireError.busy` where there are too many.
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

    /// A link was revoked here.
    func end(_ share: ShareID) {
        for reader in (readers[share] ?? [:]).values { reader.close(.linkEnded) }
    }

    /// Looks once a second whether the links are good: whatever ended them, and on whichever node.
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
