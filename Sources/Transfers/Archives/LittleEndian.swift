// Little-endian numbers of a ZIP archive, at any offset.

extension Array<UInt8> {
    func littleEndian16(at offset: Int) -> Int {
        Int(self[offset]) | Int(self[offset + 1]) << 8
    }

    func littleEndian32(at offset: Int) -> Int64 {
        (0..<4).reduce(0) { $0 | Int64(self[offset + $1]) << (8 * Int64($1)) }
    }

    /// Nil if the value exceeds any file size.
    func littleEndian64(at offset: Int) -> Int64? {
        let value = (0..<8).reduce(UInt64(0)) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
        return Int64(exactly: value)
    }
}
