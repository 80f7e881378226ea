// The header field `tracestate` (W3C Trace Context, 3.3): a list of KEY=VALUE of other systems, which
// is passed on.

/// The rules of `tracestate`.
enum TraceState {
    /// What every process must be able to pass on; longer ones are dropped.
    private static let bytesMax = 512
    private static let membersMax = 32

    /// Whether a value may be passed on.
    static func isValid(_ text: String) -> Bool {
        let members = Array(text.utf8).split(
            separator: UInt8(ascii: ","),
            omittingEmptySubsequences: false
        )
        let trimmed = members.map(trimmed).filter { !$0.isEmpty }
        return text.utf8.count <= bytesMax && (1...membersMax).contains(trimmed.count)
            && trimmed.allSatisfy(isMember)
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func isMember(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let equals = bytes.firstIndex(of: UInt8(ascii: "=")) else { return false }
        let (key, value) = (bytes[..<equals], bytes[(equals + 1)...])
        guard let first = key.first, isLetterOrDigit(first), key.count <= 256 else { return false }
        return key.allSatisfy(isKeyByte) && !value.isEmpty && value.count <= 256
            && value.allSatisfy { (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "=") }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isKeyByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "_-*/@".utf8.contains(byte)
    }
}
