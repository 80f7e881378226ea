// Text for matching word patterns: scalars by index, with their class and byte offset.

/// The scalars of a text.
struct ScalarText {
    /// The text in UTF-8.
    let bytes: [UInt8]
    /// The offset of each scalar in `bytes`, and the end of the last one.
    private(set) var offsets: [Int32] = []
    /// The class of each scalar.
    private(set) var classes: [ScalarClass] = []

    /// Decodes `bytes`, which must be well-formed UTF-8.
    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        let classOf = ScalarClass.lookup
        offsets.reserveCapacity(bytes.count + 1)
        classes.reserveCapacity(bytes.count)
        var offset = Int32(0)
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            offsets.append(offset)
            classes.append(classOf[scalar])
            offset += Int32(UTF8.width(scalar))
        }
        offsets.append(offset)
    }

    /// The number of scalars.
    var count: Int { classes.count }

    /// The class of the scalar `index`; nil at the end.
    func scalarClass(_ index: Int) -> ScalarClass? {
        index < count ? classes[index] : nil
    }

    /// The first byte of the scalar `index`, which is the whole of an ASCII one; nil at the end.
    func firstByte(_ index: Int) -> UInt8? {
        index < count ? bytes[Int(offsets[index])] : nil
    }

    /// Whether the scalar `index` is a carriage return or a line feed.
    func isNewline(_ index: Int) -> Bool {
        let byte = firstByte(index)
        return byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// The case-folded scalar `index`, if it is an ASCII letter.
    ///
    /// U+017F, the long s, folds to "s"; no other non-ASCII letter is relevant for the patterns.
    func foldedLetter(_ index: Int) -> UInt8? {
        guard let byte = firstByte(index) else { return nil }
        if (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) { return byte | 0x20 }
        if byte == 0xC5, bytes[Int(offsets[index]) + 1] == 0xBF { return UInt8(ascii: "s") }
        return byte
    }

    /// The first index from `start` on whose class does not satisfy `predicate`.
    func end(of start: Int, while predicate: (ScalarClass) -> Bool) -> Int {
        var index = start
        while index < count, predicate(classes[index]) { index += 1 }
        return index
    }
}
