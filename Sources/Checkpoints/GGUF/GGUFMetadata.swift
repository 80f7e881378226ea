// Typed access to a GGUF file's metadata, with errors that name file and key.

/// The values of a file by key.
package struct GGUFMetadata {
    package let file: MappedFile
    let values: [String: GGUFValue]

    /// The supported architecture, which is the prefix of its keys.
    static let architecture = "phi3"

    package var path: String { file.path }

    private func value(_ key: String) -> GGUFValue? { values[key] }

    package func integer(
        _ key: String,
        in range: ClosedRange<Int>,
        default standard: Int? = nil
    ) throws(CheckpointError) -> Int {
        guard let value = value(key) else {
            if let standard { return standard }
            throw .missingSetting(path: path, key: key)
        }
        guard case .integer(let integer) = value, range.contains(integer) else {
            throw invalid(
                key,
                "is not a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return integer
    }

    func double(
        _ key: String,
        in range: ClosedRange<Double>,
        default standard: Double? = nil
    ) throws(CheckpointError) -> Double {
        guard let value = value(key) else {
            if let standard { return standard }
            throw .missingSetting(path: path, key: key)
        }
        guard case .number(let number) = value, range.contains(number) else {
            throw invalid(key, "is not a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func bool(_ key: String, default standard: Bool) throws(CheckpointError) -> Bool {
        guard let value = value(key) else { return standard }
        guard case .bool(let bool) = value else { throw invalid(key, "is neither true nor false") }
        return bool
    }

    package func string(_ key: String) throws(CheckpointError) -> String? {
        guard let value = value(key) else { return nil }
        guard case .string(let range) = value else { throw invalid(key, "is not a string") }
        defer { extendLifetime(file) }
        return file.bytes.text(range)
    }

    /// The number of elements of the array `key`; nil without it.
    package func elementCount(_ key: String) throws(CheckpointError) -> Int? {
        guard let value = value(key) else { return nil }
        guard case .array(let array) = value else { throw invalid(key, "is not an array") }
        return array.count
    }

    /// The ranges of the strings of the array `key` in the file; nil without it.
    package func strings(_ key: String) throws(CheckpointError) -> [Range<Int>]? {
        guard let value = value(key) else { return nil }
        guard case .array(let array) = value, array.elementType == .string else {
            throw invalid(key, "is not an array of strings")
        }
        defer { extendLifetime(file) }
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(array.count)
        // The header's reader has measured all of them.
        var offset = array.range.lowerBound
        for _ in 0..<array.count {
            let count = Int(file.bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            ranges.append(offset + 8..<offset + 8 + count)
            offset += 8 + count
        }
        return ranges
    }

    /// The numbers of the array `key`, of 32 bits each; nil without it.
    package func words(
        _ key: String,
        _ kind: GGUFWordKind
    ) throws(CheckpointError) -> [UInt32]? {
        guard let value = value(key) else { return nil }
        guard case .array(let array) = value, kind.types.contains(array.elementType) else {
            throw invalid(key, "is not an array of \(kind.rawValue)")
        }
        defer { extendLifetime(file) }
        return (0..<array.count).map { index in
            file.bytes.loadUnaligned(
                fromByteOffset: array.range.lowerBound + 4 * index,
                as: UInt32.self
            )
        }
    }

    package func invalid(_ key: String, _ reason: String) -> CheckpointError {
        .invalidSetting(path: path, key: key, reason: reason)
    }
}

/// Kinds of arrays with elements of 32 bits.
package enum GGUFWordKind: String {
    /// Signed or unsigned.
    case integers = "whole numbers"
    /// IEEE singles.
    case floats = "floats"

    var types: [GGUFValueType] {
        switch self {
        case .integers: [.int32, .uint32]
        case .floats: [.float32]
        }
    }
}
