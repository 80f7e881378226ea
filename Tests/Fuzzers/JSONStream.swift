// A JSON text that comes in pieces: however it is cut, it says the same.

import JSONText

/// Reads a text twice. What libFuzzer calls for each input.
@c(LLVMFuzzerTestOneInput)
public func readStream(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(FuzzerInput(start, count).raw)
    let whole = tokens(bytes, pieceCount: max(1, bytes.count))
    precondition(tokens(bytes, pieceCount: 1 + bytes.count % 5) == whole, "pieces matter")
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
            precondition(reading.tokens.count <= bytes.count, "tokens out of nothing")
        }
        precondition(reader.depth == 0, "ends inside of something")
    } catch {
        reading.error = error as? JSONError
        precondition(reading.error != nil, "an error without a place")
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
