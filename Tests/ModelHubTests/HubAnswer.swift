// What the double answers: a head, and the part of a content that really goes out.

import HTTPProtocol

struct HubAnswer {
    /// What is written at once, so that a cut can fall anywhere.
    private static let pieceBytes = 16 << 10

    var head: HTTPResponseHead
    /// The file that the content is; nil for the hub's own answers.
    let file: String?
    let content: [UInt8]
    /// The part of the content that is announced.
    private(set) var range: Range<Int>
    /// How many bytes of it are written before the connection is cut; nil for all.
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

    /// The stretches of the content that are written one after the other.
    var pieces: [Range<Int>] {
        let end = range.lowerBound + (cut ?? range.count)
        return stride(from: range.lowerBound, to: end, by: Self.pieceBytes).map {
            $0..<min($0 + Self.pieceBytes, end)
        }
    }
}
