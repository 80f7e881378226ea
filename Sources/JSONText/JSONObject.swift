// The members of a JSON object, in order, with fast lookup even in a vocabulary of 200,000 keys.
// Keys are compared by their bytes: Swift's String equality would merge canonically equivalent
// ones, and the Phi-3 vocabulary has several.

/// A JSON object: members in the order of the text, with distinct keys.
public struct JSONObject: Sendable, Equatable, RandomAccessCollection {
    /// One member.
    public typealias Element = (key: String, value: JSONValue)

    /// In a class so that a `JSONValue` stays at 16 bytes.
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

    /// Up to this many members, comparing all keys is faster than hashing.
    private static let linearSearchMax = 8

    /// Creates an object from parallel arrays.
    /// - Throws: `DuplicateKey`.
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

    /// Creates an object from members with possibly repeated keys: the last value of a key wins, in
    /// the position of the first.
    /// - Returns: the object, and the number of members that were overwritten.
    static func lastOf(_ members: [(key: String, value: JSONValue)]) -> (JSONObject, Int) {
        if let object = try? JSONObject(
            keys: members.map(\.key),
            values: members.map(\.value)
        ) {
            return (object, 0)
        }
        var positions: [[UInt8]: Int] = [:]
        var keys: [String] = []
        var values: [JSONValue] = []
        for (key, value) in members {
            if let position = positions[Array(key.utf8)] {
                values[position] = value
            } else {
                positions[Array(key.utf8)] = keys.count
                keys.append(key)
                values.append(value)
            }
        }
        return (JSONObject(distinct: keys, values), members.count - keys.count)
    }

    /// Creates an object from distinct keys.
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

    /// The value of the member `key`, compared by bytes; nil if there is none.
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

/// A key that occurs twice in an object.
struct DuplicateKey: Error {
    let key: String
}

/// A hash table from keys to their positions: open addressing, at most half full.
struct KeyLookup: Sendable {
    /// A position with the upper half of its key's hash, which avoids most comparisons with other
    /// keys.
    private struct Slot {
        var hash: UInt32
        var position: Int32
    }

    private var slots: [Slot]

    /// Creates the table of `keys`.
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

    /// The position of `key` in `keys`, which must be the list that the table was made from.
    func position(of key: String, in keys: [String]) -> Int? {
        let (slot, isFree) = slot(of: key, Self.hash(key), in: keys)
        return isFree ? nil : Int(slots[slot].position)
    }

    /// The slot of `key`, or the free slot where it belongs.
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
