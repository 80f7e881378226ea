// The faults of the hub double. Each is a value that a test sets; a list is consumed from the front, one
// entry per request.

import HTTPProtocol
import TestSupport

struct HubFaults {
    // MARK: The hub's own responses

    /// Responses to the next requests to the hub.
    var refusals: [HTTPResponseHead] = []
    /// The response to every request to the hub.
    var refusesAll: HTTPResponseHead?
    /// Entries on a page of the list of files.
    var pageEntriesMax = 1000
    /// The model's old name, which the hub redirects from.
    var renamedFrom: String?
    /// Whether the hub redirects requests for large files.
    var usesStorage = true

    /// How many of the next requests are never answered.
    var silences = 0

    // MARK: Files

    /// Responses to the next requests for the bytes of a file.
    var fileRefusals: [HTTPResponseHead] = []
    /// How many body bytes of the next files are sent before the connection is closed.
    var cuts: [Int] = []
    /// Closes the connection at a random byte in about every other response.
    var cutsAtRandom = false
    /// Chooses the random bytes.
    var generator = SeededGenerator(seed: 1)
    /// How many requests a signed link serves.
    var usesPerLink = Int.max
    /// Sends the whole file whatever range is requested.
    var ignoresRanges = false
    /// How many of the next responses contain a wrong byte; `Int.max` for all.
    var damagedAnswers = 0
    /// How many of the next range requests are answered with 416.
    var unsatisfiableRanges = 0
    /// How the next ranges are wrong.
    var wrongRanges: [WrongRange] = []

    /// A wrong range.
    enum WrongRange: CaseIterable {
        /// Half of the requested range, announced correctly: this is allowed.
        case shorter
        /// More than was requested.
        case longer
        /// Other bytes than requested, announced as such.
        case elsewhere
        /// The requested bytes, announced as others.
        case misnamed
        /// A wrong length of the whole file.
        case otherTotal
        /// No Content-Range field.
        case silent
    }

    private var linkUses: [Int: Int] = [:]

    mutating func takeRefusal() -> HTTPResponseHead? {
        if let refusesAll { return refusesAll }
        return refusals.isEmpty ? nil : refusals.removeFirst()
    }

    mutating func takeSilence() -> Bool {
        guard silences > 0 else { return false }
        silences -= 1
        return true
    }

    /// Counts a use of a signed link.
    mutating func isExpired(link: Int) -> Bool {
        linkUses[link, default: 0] += 1
        return linkUses[link, default: 0] > usesPerLink
    }

    /// The response to a request for the bytes of a file.
    mutating func answer(
        _ request: HTTPRequestHead,
        _ name: String,
        _ content: [UInt8],
        _ headers: HTTPHeaders
    ) -> HubAnswer {
        if !fileRefusals.isEmpty { return HubAnswer(fileRefusals.removeFirst()) }
        var content = content
        if damagedAnswers > 0, RepositoryDouble.isLarge(name) {
            if damagedAnswers < .max { damagedAnswers -= 1 }
            for index in content.indices { content[index] ^= 1 }
        }
        let all = HubAnswer(HTTPResponseHead(.ok, headers: headers), name, content)
        guard let asked = Self.range(request), !ignoresRanges else {
            return all.part(0..<content.count, cutAfter: cut(of: content.count, name))
        }
        if unsatisfiableRanges > 0 {
            unsatisfiableRanges -= 1
            return HubAnswer(HTTPResponseHead(.rangeNotSatisfiable))
        }
        var answer = all
        answer.head = HTTPResponseHead(.partialContent, headers: headers)
        let lie = wrongRanges.isEmpty ? nil : wrongRanges.removeFirst()
        let (sent, told) = Self.apply(lie, to: asked.clamped(to: 0..<content.count), content.count)
        answer.head.headers[.contentRange] = told
        return answer.part(sent, cutAfter: cut(of: sent.count, name))
    }

    private static func range(_ request: HTTPRequestHead) -> Range<Int>? {
        let value = request.headers[.range]?.dropFirst("bytes=".count) ?? ""
        let ends = value.split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 ? ends[0]..<ends[1] + 1 : ends.first.map { $0..<Int.max }
    }

    private static func apply(
        _ lie: WrongRange?,
        to range: Range<Int>,
        _ total: Int
    ) -> (sent: Range<Int>, told: String?) {
        var sent = range
        var told = range
        var toldTotal = total
        switch lie {
        case nil: break
        case .shorter:
            sent = range.prefix(max(range.count / 2, 1))
            told = sent
        case .longer:
            sent = range.lowerBound..<min(range.upperBound + 1000, total)
            told = sent
        case .elsewhere:
            sent = 0..<range.count
            told = sent
        case .misnamed: told = range.lowerBound + 1..<range.upperBound + 1
        case .otherTotal: toldTotal += 1
        case .silent: return (sent, nil)
        }
        return (sent, "bytes \(told.lowerBound)-\(told.upperBound - 1)/\(toldTotal)")
    }

    private mutating func cut(of byteCount: Int, _ name: String) -> Int? {
        guard RepositoryDouble.isLarge(name) else { return nil }
        if !cuts.isEmpty { return cuts.removeFirst() }
        guard cutsAtRandom, Bool.random(using: &generator) else { return nil }
        return Int.random(in: 0..<max(byteCount, 1), using: &generator)
    }
}
