// The header of a safetensors file: 8 bytes of little-endian length, that many bytes of JSON, then
// data. https://github.com/huggingface/safetensors#format. Everything is validated, since kernels
// later read through raw pointers computed from these numbers.

import JSONText

/// The entries of one header.
package struct SafetensorsHeader {
    /// One tensor; `byteRange` counts from the start of the file.
    package struct Entry {
        let name: String
        let elementType: ElementType
        let shape: [Int]
        package let byteRange: Range<Int>
    }

    package let entries: [Entry]

    /// The maximum header size in bytes, a limit of the format.
    static let byteCountMax = 100_000_000
    /// Maximum dimensions; no weight has more.
    static let dimensionCountMax = 8

    /// Reads the header of the file `path`, whose complete content is `bytes`.
    package init(parsing bytes: UnsafeRawBufferPointer, path: String) throws(CheckpointError) {
        let json = try Self.json(in: bytes, path: path)
        let dataStart = 8 + json.count
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(
                parsing: json.bindMemory(to: UInt8.self).span,
                limits: JSONLimits(byteCountMax: Self.byteCountMax, depthMax: 8)
            )
        } catch {
            throw .malformedJSON(path: path, JSONError(error.reason, at: error.offset + 8))
        }
        guard let object = value.object else {
            throw .malformedWeights(path: path, tensor: nil, reason: "the header is no object")
        }
        var entries: [Entry] = []
        entries.reserveCapacity(object.count)
        for (name, value) in object where name != "__metadata__" {
            let reader = EntryReader(
                path: path,
                name: name,
                dataStart: dataStart,
                fileByteCount: bytes.count
            )
            entries.append(try reader.read(value))
        }
        try Self.refuseOverlap(entries, path: path)
        self.entries = entries
    }

    private static func json(
        in bytes: UnsafeRawBufferPointer,
        path: String
    ) throws(CheckpointError) -> UnsafeRawBufferPointer {
        func damaged(_ reason: String) -> CheckpointError {
            .malformedWeights(path: path, tensor: nil, reason: reason)
        }
        guard bytes.count >= 8 else {
            throw damaged("\(bytes.count) bytes are too few for a safetensors file")
        }
        let length = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
        guard length <= byteCountMax else {
            throw damaged("a header of \(length) bytes is beyond the limit of \(byteCountMax)")
        }
        guard Int(length) <= bytes.count - 8 else {
            throw damaged("the header of \(length) bytes is cut off at \(bytes.count - 8)")
        }
        return UnsafeRawBufferPointer(rebasing: bytes[8..<8 + Int(length)])
    }

    private static func refuseOverlap(
        _ entries: [Entry],
        path: String
    ) throws(CheckpointError) {
        let inFileOrder = entries.filter { !$0.byteRange.isEmpty }
            .sorted { $0.byteRange.lowerBound < $1.byteRange.lowerBound }
        for (entry, next) in zip(inFileOrder, inFileOrder.dropFirst())
        where entry.byteRange.upperBound > next.byteRange.lowerBound {
            throw .malformedWeights(
                path: path,
                tensor: next.name,
                reason: "its data overlap those of \(entry.name)"
            )
        }
    }
}

/// Reads and checks one member of a header.
private struct EntryReader {
    let path: String
    let name: String
    let dataStart: Int
    let fileByteCount: Int

    func read(_ value: JSONValue) throws(CheckpointError) -> SafetensorsHeader.Entry {
        let type = try elementType(value["dtype"])
        let shape = try shape(value["shape"])
        let range = try byteRange(value["data_offsets"])
        guard let byteCount = type.byteCount(shape: shape), byteCount == range.count else {
            throw damaged("\(shape) of \(type.rawValue) does not fit its \(range.count) bytes")
        }
        return .init(name: name, elementType: type, shape: shape, byteRange: range)
    }

    private func elementType(_ value: JSONValue?) throws(CheckpointError) -> ElementType {
        guard let text = value?.string else { throw damaged("it has no dtype") }
        guard let type = ElementType(rawValue: text), !type.isBlocked else {
            throw damaged("\(text) is no known dtype")
        }
        return type
    }

    private func shape(_ value: JSONValue?) throws(CheckpointError) -> [Int] {
        guard let dimensions = value?.array else { throw damaged("it has no shape") }
        let shape = dimensions.compactMap(\.integer).filter { $0 >= 0 }
        guard shape.count == dimensions.count,
            shape.count <= SafetensorsHeader.dimensionCountMax
        else { throw damaged("its shape is no list of a few sizes") }
        return shape
    }

    /// Offsets in the header are relative to its end; the result is relative to the start of the
    /// file.
    private func byteRange(_ value: JSONValue?) throws(CheckpointError) -> Range<Int> {
        guard let offsets = value?.array, offsets.count == 2,
            let begin = offsets[0].integer, let end = offsets[1].integer,
            0 <= begin, begin <= end
        else { throw damaged("its data_offsets are no range") }
        guard end <= fileByteCount - dataStart else {
            throw damaged(
                "its data end at byte \(end) of the data, and the file has only "
                    + "\(fileByteCount - dataStart)"
            )
        }
        return dataStart + begin..<dataStart + end
    }

    private func damaged(_ reason: String) -> CheckpointError {
        .malformedWeights(path: path, tensor: name, reason: reason)
    }
}
