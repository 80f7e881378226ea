// A value of a result in binary format. Lengths are checked although they come from the server: an
// unexpected type must give an error, not a crash.

/// The bytes and type of a value of a result.
public struct PostgresCell {
    let type: PostgresType
    /// Nil for NULL. Valid during the lifetime of the result.
    let bytes: UnsafeRawBufferPointer?

    /// Why a value does not have the requested type.
    enum Mismatch: Error { case wrongType, null }

    /// The integer, if the cell has this type and size.
    func integer<Value: FixedWidthInteger>(
        _ type: PostgresType,
        as value: Value.Type
    ) throws(Mismatch) -> Value? {
        guard self.type == type else { return nil }
        guard let bytes else { throw .null }
        guard bytes.count == MemoryLayout<Value>.size else { throw .wrongType }
        return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }

    /// An integer of any of PostgreSQL's sizes, if it fits.
    func anyInteger<Value: FixedWidthInteger>() throws(Mismatch) -> Value {
        let wide: Int64
        if let value = try integer(.int64, as: Int64.self) {
            wide = value
        } else if let value = try integer(.int32, as: Int32.self) {
            wide = Int64(value)
        } else if let value = try integer(.int16, as: Int16.self) {
            wide = Int64(value)
        } else if let value = try integer(.objectIdentifier, as: UInt32.self) {
            wide = Int64(value)
        } else {
            throw .wrongType
        }
        guard let value = Value(exactly: wide) else { throw .wrongType }
        return value
    }

    /// The bytes, if the cell is of `type`.
    func content(of type: PostgresType) throws(Mismatch) -> UnsafeRawBufferPointer {
        guard self.type == type else { throw .wrongType }
        guard let bytes else { throw .null }
        return bytes
    }

    /// The elements of a one-dimensional array of `type`; see `binaryArray` for the format.
    func elements(_ arrayType: PostgresType, of type: PostgresType) throws(Mismatch)
        -> [PostgresCell]
    {
        var rest = try content(of: arrayType)[...]
        func next() throws(Mismatch) -> Int {
            guard rest.count >= 4 else { throw .wrongType }
            let value = UnsafeRawBufferPointer(rebasing: rest.prefix(4)).loadUnaligned(
                as: Int32.self
            )
            rest = rest.dropFirst(4)
            return Int(Int32(bigEndian: value))
        }
        let dimensionCount = try next()
        _ = try next()
        guard try next() == Int(type.rawValue) else { throw .wrongType }
        if dimensionCount == 0 { return [] }
        guard dimensionCount == 1 else { throw .wrongType }
        let count = try next()
        _ = try next()
        // Each element has at least four bytes, so the count cannot make us reserve more than was
        // received.
        guard count >= 0, count <= rest.count / 4 else { throw .wrongType }
        var cells: [PostgresCell] = []
        cells.reserveCapacity(count)
        for _ in 0..<count {
            let length = try next()
            guard length >= 0 else {
                cells.append(PostgresCell(type: type, bytes: nil))
                continue
            }
            guard length <= rest.count else { throw .wrongType }
            cells.append(
                PostgresCell(
                    type: type,
                    bytes: UnsafeRawBufferPointer(rebasing: rest.prefix(length))
                )
            )
            rest = rest.dropFirst(length)
        }
        return cells
    }
}
