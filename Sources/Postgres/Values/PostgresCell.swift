// One value of a result, in its binary form. What arrives is the server's, but lengths are checked
// all the same: a type that we misjudge must give an error, not a crash.

/// The bytes of one value of a result, with the type that they are of.
public struct PostgresCell {
    let type: PostgresType
    /// Nil for NULL. Valid while the result lives.
    let bytes: UnsafeRawBufferPointer?

    /// Why a value is not what was asked for.
    enum Mismatch: Error { case wrongType, null }

    /// The value of `type`'s bytes, when the cell is of that type and has just as many.
    func integer<Value: FixedWidthInteger>(
        _ type: PostgresType,
        as value: Value.Type
    ) throws(Mismatch) -> Value? {
        guard self.type == type else { return nil }
        guard let bytes else { throw .null }
        guard bytes.count == MemoryLayout<Value>.size else { throw .wrongType }
        return Value(bigEndian: bytes.loadUnaligned(as: Value.self))
    }

    /// An integer of any of PostgreSQL's sizes, when it fits.
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

    /// The bytes, when the cell is of `type`.
    func content(of type: PostgresType) throws(Mismatch) -> UnsafeRawBufferPointer {
        guard self.type == type else { throw .wrongType }
        guard let bytes else { throw .null }
        return bytes
    }

    /// The elements of a one-dimensional array of `type`; see `binaryArray` for the form.
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
        // Each element takes four bytes at least: no count makes us reserve more than was sent.
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
