// A JSON stream: the tokens do not depend on how it is split.

import JSONText

/// Reads a text in two different splits. Called by libFuzzer for each input.
@c(LLVMFuzzerTestOneInput)
public func readStream(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    let whole = tokens(bytes, pieceCount: max(1, bytes.count))
    precondition(
        tokens(bytes, pieceCount: 1 + bytes.count % 5) == whole,
        "the tokens depend on the split"
    )
    return 0
}

private struct Reading: Equatable {
    var tokens: [JSONToken] = []
    var error: JSONError?
}

private func tokens(_ bytes: [UInt8], pieceCount: Int) -> Reading {
    let limits = JSONReaderLimits(depthMax: 50, stringByteCountMax: 100)
    var reader = JSONReader(Pieces(bytes, of: pieceCount), limits: limits)
    var reading = Reading()
    do {
        while true {
            let token = try reader.next()
            if case .end = token { break }
            reading.tokens.append(token)
            precondition(reader.depth <= limits.depthMax, "too deep")
            precondition(reading.tokens.count <= bytes.count, "more tokens than bytes")
        }
        precondition(reader.depth == 0, "ends inside an array or object")
    } catch {
        reading.error = error as? JSONError
        precondition(reading.error != nil, "an error without an offset")
    }
    return reading
}

private final class Pieces: ByteSource {
    private var rest: ArraySlice<UInt8>
    private let count: Int

    init(_ bytes: [UInt8], of count: Int) {
        rest = bytes[...]
        self.count = count
    }

    func next() -> [UInt8]? {
        guard !rest.isEmpty else { return nil }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }
}
