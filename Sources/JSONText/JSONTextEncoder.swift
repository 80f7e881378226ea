// A streaming encoder. Foundation's encoder first builds a tree of all values; with each message
// encoded for replies and events, that was a quarter of the server's CPU time.

/// Writes a value's JSON, with members in the order in which the value encodes them.
///
/// Do not write to a container after writing to one around it.
package final class JSONTextEncoder: Encoder {
    package let codingPath: [any CodingKey] = []
    package let userInfo: [CodingUserInfoKey: Any] = [:]
    private let output: JSONOutput
    /// The container that the value has opened. A value may request it more than once.
    private var opened: Int?

    fileprivate init(_ output: JSONOutput) { self.output = output }

    /// The JSON text of a value.
    /// - Parameter value: any value; dates, data and similar types use their own encoding.
    /// - Returns: the text in UTF-8.
    /// - Throws: what the value throws.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let output = JSONOutput()
        try output.writeEncoded(value)
        output.close(to: 0)
        return output.bytes
    }

    private func depth(isObject: Bool) -> Int {
        let depth = opened ?? output.begin(isObject: isObject)
        opened = depth
        return depth
    }

    package func container<Key: CodingKey>(
        keyedBy type: Key.Type
    ) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(ObjectWriter(output, depth: depth(isObject: true)))
    }

    package func unkeyedContainer() -> any UnkeyedEncodingContainer {
        ArrayWriter(output, depth: depth(isObject: false))
    }

    package func singleValueContainer() -> any SingleValueEncodingContainer { ValueWriter(output) }
}

extension JSONOutput {
    /// Writes a value that is neither null nor a primitive; an empty object if it encodes nothing.
    fileprivate func writeEncoded<Value: Encodable>(_ value: Value) throws {
        // A prompt may have a hundred thousand of them: one encoder for each would take milliseconds.
        if Value.self == [Int32].self, let numbers = value as? [Int32] { return write(numbers) }
        let count = bytes.count
        try value.encode(to: JSONTextEncoder(self))
        if bytes.count == count { _ = begin(isObject: true) }
    }

    private func write(_ numbers: [Int32]) {
        let depth = begin(isObject: false)
        for number in numbers {
            next(at: depth)
            write(number)
        }
    }
}

/// The members of an object.
private struct ObjectWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let codingPath: [any CodingKey] = []
    private let output: JSONOutput
    private let depth: Int

    init(_ output: JSONOutput, depth: Int) {
        self.output = output
        self.depth = depth
    }

    private func value(of key: Key) -> JSONOutput {
        output.next(key.stringValue, at: depth)
        return output
    }

    func encodeNil(forKey key: Key) { value(of: key).writeNull() }
    func encode(_ value: Bool, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: String, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: Double, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: Float, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: Int, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: Int8, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: Int16, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: Int32, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: Int64, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: UInt, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: UInt8, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: UInt16, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: UInt32, forKey key: Key) { self.value(of: key).write(value) }
    func encode(_ value: UInt64, forKey key: Key) { self.value(of: key).write(value) }

    func encode(_ value: some Encodable, forKey key: Key) throws {
        try self.value(of: key).writeEncoded(value)
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type,
        forKey key: Key
    ) -> KeyedEncodingContainer<NestedKey> {
        let output = value(of: key)
        return KeyedEncodingContainer(
            ObjectWriter<NestedKey>(output, depth: output.begin(isObject: true))
        )
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
        let output = value(of: key)
        return ArrayWriter(output, depth: output.begin(isObject: false))
    }

    func superEncoder() -> any Encoder {
        output.next("super", at: depth)
        return JSONTextEncoder(output)
    }

    func superEncoder(forKey key: Key) -> any Encoder { JSONTextEncoder(value(of: key)) }
}

/// The elements of an array.
private struct ArrayWriter: UnkeyedEncodingContainer {
    let codingPath: [any CodingKey] = []
    private(set) var count = 0
    private let output: JSONOutput
    private let depth: Int

    init(_ output: JSONOutput, depth: Int) {
        self.output = output
        self.depth = depth
    }

    private mutating func next() -> JSONOutput {
        output.next(at: depth)
        count += 1
        return output
    }

    mutating func encodeNil() { next().writeNull() }
    mutating func encode(_ value: Bool) { next().write(value) }
    mutating func encode(_ value: String) { next().write(value) }
    mutating func encode(_ value: Double) { next().write(value) }
    mutating func encode(_ value: Float) { next().write(value) }
    mutating func encode(_ value: Int) { next().write(value) }
    mutating func encode(_ value: Int8) { next().write(value) }
    mutating func encode(_ value: Int16) { next().write(value) }
    mutating func encode(_ value: Int32) { next().write(value) }
    mutating func encode(_ value: Int64) { next().write(value) }
    mutating func encode(_ value: UInt) { next().write(value) }
    mutating func encode(_ value: UInt8) { next().write(value) }
    mutating func encode(_ value: UInt16) { next().write(value) }
    mutating func encode(_ value: UInt32) { next().write(value) }
    mutating func encode(_ value: UInt64) { next().write(value) }
    mutating func encode(_ value: some Encodable) throws { try next().writeEncoded(value) }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) -> KeyedEncodingContainer<NestedKey> {
        let output = next()
        return KeyedEncodingContainer(
            ObjectWriter<NestedKey>(output, depth: output.begin(isObject: true))
        )
    }

    mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
        let output = next()
        return ArrayWriter(output, depth: output.begin(isObject: false))
    }

    mutating func superEncoder() -> any Encoder { JSONTextEncoder(next()) }
}

/// A value without members.
private struct ValueWriter: SingleValueEncodingContainer {
    let codingPath: [any CodingKey] = []
    private let output: JSONOutput

    init(_ output: JSONOutput) { self.output = output }

    func encodeNil() { output.writeNull() }
    func encode(_ value: Bool) { output.write(value) }
    func encode(_ value: String) { output.write(value) }
    func encode(_ value: Double) { output.write(value) }
    func encode(_ value: Float) { output.write(value) }
    func encode(_ value: Int) { output.write(value) }
    func encode(_ value: Int8) { output.write(value) }
    func encode(_ value: Int16) { output.write(value) }
    func encode(_ value: Int32) { output.write(value) }
    func encode(_ value: Int64) { output.write(value) }
    func encode(_ value: UInt) { output.write(value) }
    func encode(_ value: UInt8) { output.write(value) }
    func encode(_ value: UInt16) { output.write(value) }
    func encode(_ value: UInt32) { output.write(value) }
    func encode(_ value: UInt64) { output.write(value) }
    func encode(_ value: some Encodable) throws { try output.writeEncoded(value) }
}
