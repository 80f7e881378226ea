// A response of the hub double: a head, and the part of the content that is sent.

import HTTPProtocol

struct HubAnswer {
    /// Bytes per write, so that a cut can fall anywhere.
    private static let pieceBytes = 16 << 10

    var head: HTTPResponseHead
    /// The file that the content belongs to; nil for the hub's own responses.
    let file: String?
    let content: [UInt8]
    /// The announced part of the content.
    private(set) var range: Range<Int>
    /// How many bytes of it are written before the connection is closed; nil for all.
    private var cut: Int?

    init(_ head: HTTPResponseHead, _ file: String? = nil, _ content: [UInt8] = []) {
        self.head = head
        self.file = file
        self.content = content
        range = 0..<content.count
    }

    init(json: String) { self.init(HTTPResponseHead(.ok), nil, Array(json.utf8)) }

    var length: Int { range.count }
    var isCut: Bool { cut != nil }

    func part(_ range: Range<Int>, cutAfter cut: Int?) -> HubAnswer {
        var answer = self
        answer.range = range
        answer.cut = cut.flatMap { $0 < range.count ? $0 : nil }
        return answer
    }

    /// The parts of the content that are written one after the other.
    var pieces: [Range<Int>] {
        let end = range.lowerBound + (cut ?? range.count)
        return stride(from: range.lowerBound, to: end, by: Self.pieceBytes).map {
            $0..<min($0 + Self.pieceBytes, end)
        }
    }
}
