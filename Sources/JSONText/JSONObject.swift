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

    /// The object of members some of whose keys may stand twice: the first's place, the last's value.
    /// - Returns: the object, and how many members another one took the place of.
    static func lastOf(_ members: [(key: String, value: JSONValue)]) -> (JSONObject, Int) {
        if let object = try? JSONObject(
            keys: members.map(\.key),
            values: members.map(\.value)
        ) {
            return (object, 0)
        }
        var places: [[UInt8]: Int] = [:]
        var keys: [String] = []
        var values: [JSONValue] = []
        for (key, value) in members {
            if let place = places[Array(key.utf8)] {
                values[place] = value
            } else {
                places[Array(key.utf8)] = keys.count
                keys.append(key)
                values.append(value)
            }
        }
        return (JSONObject(distinct: keys, values), members.count - keys.count)
    }

    /// An object of keys of which no two are the same.
    private init(distinct keys: [String], _ values: [JSONValue]) {
        let lookup = keys.count > Self.linearSearchMax ? try? KeyLookup(keys) : nil
        storage = Storage(keys: keys, values: values, lookup: lookup)
    }

    /// An object without members.
    public init() {
        storage = Storage(keys: [], values: [], lookup: nil)
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

    /// The keys in the order of the text.
    public var keys: [String] { storage.keys }
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
    /// A position with the upper half of its key's hash, so that other keys are seldom looked at.
    private struct Slot {
        var hash: UInt32
        var position: Int32
    }

    private var slots: [Slot]

    /// The table of `keys`.
    init(_ keys: [String]) throws(DuplicateKey) {
        var capacity = 16
        while capacity < keys.count * 2 { capacity *= 2 }
        slots = [Slot](repeating: Slot(hash: 0, position: -1), count: capacity)
        for (position, key) in keys.enumerated() {
            let hash = Self.hash(key)
            let (slot, isFree) = slot(of: key, hash, in: keys)
            guard isFree else { throw DuplicateKey(key: key) }
            slots[slot] = Slot(hash: UInt32(hash >> 32), position: Int32(position))
        }
    }

    /// The position of `key` in `keys`, the list that this table was made of.
    func position(of key: String, in keys: [String]) -> Int? {
        let (slot, isFree) = slot(of: key, Self.hash(key), in: keys)
        return isFree ? nil : Int(slots[slot].position)
    }

    /// The slot that holds `key`, or the free one that would.
    private func slot(
        of key: String,
        _ hash: UInt64,
        in keys: [String]
    ) -> (slot: Int, isFree: Bool) {
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot].position >= 0 {
            if slots[slot].hash == UInt32(hash >> 32),
                keys[Int(slots[slot].position)].utf8.elementsEqual(key.utf8)
            {
                return (slot, false)
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        return (slot, true)
    }

    private static func hash(_ key: String) -> UInt64 {
        var copy = key
        return copy.withUTF8 { ByteHash.hash(UnsafeRawBufferPointer($0)) }
    }
}
