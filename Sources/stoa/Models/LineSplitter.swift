// Splits a byte stream into lines of bounded length.

/// Splits a byte stream into lines.
package struct LineSplitter {
    /// A line of the input.
    package enum Line: Equatable {
        /// Its bytes, without the line feed.
        case whole([UInt8])
        /// A line beyond the limit; its bytes are dropped.
        case tooLong
    }

    private let lineBytesMax: Int
    private var pending: [UInt8] = []
    /// Set while the rest of an overlong line is dropped.
    private var isDropping = false

    /// A splitter for lines of at most `lineBytesMax` bytes.
    package init(lineBytesMax: Int) {
        self.lineBytesMax = lineBytesMax
    }

    /// The lines that `bytes` complete.
    package mutating func append(_ bytes: [UInt8]) -> [Line] {
        var lines: [Line] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            take(rest[..<end])
            lines.append(endLine())
            rest = rest[(end + 1)...]
        }
        take(rest)
        return lines
    }

    /// The last line if it has no line feed; nil if nothing is left.
    package mutating func finish() -> Line? {
        pending.isEmpty && !isDropping ? nil : endLine()
    }

    private mutating func take(_ bytes: ArraySlice<UInt8>) {
        isDropping = isDropping || pending.count + bytes.count > lineBytesMax
        if isDropping {
            pending.removeAll()
        } else {
            pending += bytes
        }
    }

    private mutating func endLine() -> Line {
        defer {
            pending.removeAll(keepingCapacity: true)
            isDropping = false
        }
        return isDropping ? .tooLong : .whole(pending)
    }
}
