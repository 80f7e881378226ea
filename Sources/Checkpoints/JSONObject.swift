// The members of a JSON object, in order, with quick lookup also for a vocabulary of 200,000 keys.
// Keys are told apart by their bytes: Swift's String equality would merge canonically equivalent
// ones, of which the Phi-3 vocabulary has several.

/// A JSON object: members in the order of the text, no key twice.
public struct JSONObject: Sendable, Equatable, RandomAccessCollection {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    /// Behind a reference so that a `JSONValue` stays at 16 bytes.
    private final class Storage: Sendable {
        let keys: [String]
        let values: [JSONValue]
        let lookup: KeyLookup?

        init(keys: [String], values: [JSONValue], lookup: KeyLookup?) {
            self.keys = keys
            self.values = values
            self.lookup = lookup
        }
    }

    private let storage: Storage

    /// Up to this many members, comparing all keys is quicker than hashing.
    private static let linearSearchMax = 8

    /// An object of parallel `keys` and `values`.
    init(keys: [String], values: [JSONValue]) throws(DuplicateKey) {
        precondition(keys.count == values.count, "every key has a value")
        if keys.count > Self.linearSearchMax {
            let lookup = try KeyLookup(keys)
            storage = Storage(keys: keys, values: values, lookup: lookup)
        } else {
            try Self.refuseDuplicates(in: keys)
            storage = Storage(keys: keys, values: values, lookup: nil)
        }
    }

    private static func refuseDuplicates(in keys: [String]) throws(DuplicateKey) {
        for (index, key) in keys.enumerated() {
            for earlier in keys[..<index] where earlier.utf8.elementsEqual(key.utf8) {
                throw DuplicateKey(key: key)
            }
        }
    }

    /// The value of the member `key`, compared byte by byte; nil where there is none.
    public subscript(key: String) -> JSONValue? {
        if let lookup = storage.lookup {
            return lookup.position(of: key, in: storage.keys).map { storage.values[$0] }
        }
        return storage.keys.firstIndex { $0.utf8.elementsEqual(key.utf8) }
            .map { storage.values[$0] }
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of members.
    public var endIndex: Int { storage.keys.count }
    /// The member at `position` in the text.
    public subscript(position: Int) -> Element {
        (storage.keys[position], storage.values[position])
    }

    /// Whether both have the same members in the same order.
    public static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count
            && zip(left, right).allSatisfy {
                $0.key.utf8.elementsEqual($1.key.utf8) && $0.value == $1.value
            }
    }
}

/// A key that stands twice in an object.
struct DuplicateKey: Error {
    let key: String
}

/// A hash table from keys to their positions: open addressing, at most half full.
struct KeyLookup: Sendable {
    private var slots: [Int32]

    /// The table of `keys`.
    init(_ keys: [String]) throws(DuplicateKey) {
        var capacity = 16
        while capacity < keys.count * 2 { capacity *= 2 }
        slots = [Int32](repeating: -1, count: capacity)
        for (position, key) in keys.enumerated() {
            var slot = firstSlot(key)
            while slots[slot] >= 0 {
                if keys[Int(slots[slot])].utf8.elementsEqual(key.utf8) {
                    throw DuplicateKey(key: key)
                }
                slot = (slot + 1) & (capacity - 1)
            }
            slots[slot] = Int32(position)
        }
    }

    /// The position of `key` in `keys`, the list that this table was made of.
    func position(of key: String, in keys: [String]) -> Int? {
        var slot = firstSlot(key)
        while slots[slot] >= 0 {
            let position = Int(slots[slot])
            if keys[position].utf8.elementsEqual(key.utf8) { return position }
            slot = (slot + 1) & (slots.count - 1)
        }
        return nil
    }

    private func firstSlot(_ key: String) -> Int {
        // Swift's hash is seeded per process, so a file cannot be made to collide.
        var hasher = Hasher()
        var copy = key
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return hasher.finalize() & (slots.count - 1)
    }
}
