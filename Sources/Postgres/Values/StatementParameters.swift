// Parameters as the four parallel arrays of libpq.

import CPostgres

/// Refuses text that libpq would truncate at a zero character, and more parameters than the
/// protocol allows.
func checkParameters(_ values: [PostgresValue]) throws(PostgresError) {
    guard values.count <= 65535 else { throw .driver("more than 65535 parameters") }
    if let index = values.firstIndex(where: \.holdsZeroCharacter) {
        throw .unrepresentableParameter(index: index)
    }
}

/// The parameters of one statement, encoded.
struct StatementParameters {
    let types: [Oid]
    private let formats: [Int32]
    private let lengths: [Int32]
    private let bytes: [UInt8]
    /// The offset of each value in `bytes`; nil for NULL.
    private let offsets: [Int?]

    init(_ values: [PostgresValue]) {
        var bytes: [UInt8] = []
        var offsets: [Int?] = []
        var lengths: [Int32] = []
        for value in values {
            guard let encoded = value.encoded else {
                offsets.append(nil)
                lengths.append(0)
                continue
            }
            offsets.append(bytes.count)
            lengths.append(Int32(clamping: encoded.count))
            bytes += encoded
        }
        // One more byte, so that an empty value at the end has an address too, unlike NULL.
        bytes.append(0)
        self.bytes = bytes
        self.offsets = offsets
        self.lengths = lengths
        types = values.map(\.type.rawValue)
        formats = values.map { $0.isSentAsText ? 0 : 1 }
    }

    /// Calls `body` with the count, values, lengths and formats, valid during the call.
    func withPointers<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?,
            UnsafePointer<Int32>?
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { memory in
            let start = memory.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = offsets.map { offset in offset.flatMap { start?.advanced(by: $0) } }
            return body(Int32(values.count), values, lengths, formats)
        }
    }
}
