// Commands that process one JSON value per line and respond at once, so that another program can keep one
// running and send it many requests.

import ChatProtocol
package import Checkpoints
package import JSONText
import TerminalText

/// Why a line cannot be processed.
package struct LineError: Error, Hashable {
    /// The error message.
    package let reason: String

    package init(_ reason: String) {
        self.reason = reason
    }
}

/// Processes the lines of one command.
package struct JSONLines {
    /// Maximum line length in bytes.
    package static let lineBytesMax = 64 << 20

    /// The help text about lines.
    static let help = """
        Reads one JSON value per line from standard input, and writes one per line to standard \
        output. For an invalid line it writes null, says why on standard error, and exits with status \
        65 at the end. Blank lines are skipped.
        """

    private let lineBytesMax: Int
    private var splitter: LineSplitter
    private var number = 0
    private var failureCount = 0

    package init(lineBytesMax: Int = lineBytesMax) {
        self.lineBytesMax = lineBytesMax
        splitter = LineSplitter(lineBytesMax: lineBytesMax)
    }

    /// Processes standard input to its end.
    /// - Parameter answer: computes the result for a line's value.
    /// - Throws: at the end, if a line failed.
    static func answer(
        _ answer: (JSONValue) throws(LineError) -> some Encodable
    ) throws(CommandFailure) {
        var lines = JSONLines()
        while let bytes = StandardInput.read() {
            for line in lines.answers(to: bytes, answer) { line.print() }
        }
        for line in lines.answersToRest(answer) { line.print() }
        try lines.end()
    }

    /// The output for one line.
    package struct Answer: Equatable {
        /// The line of standard output.
        package var output: String
        /// The line of standard error; nil if there was no error.
        package var error: String?

        fileprivate func print() {
            if let error { StandardStreams.printError("stoa: \(error)") }
            StandardStreams.print(json: Array(output.utf8))
        }
    }

    /// The results of the lines that `bytes` complete.
    package mutating func answers(
        to bytes: [UInt8],
        _ answer: (JSONValue) throws(LineError) -> some Encodable
    ) -> [Answer] {
        splitter.append(bytes).compactMap { self.answer(to: $0, answer) }
    }

    /// The result of a last line without a line feed.
    package mutating func answersToRest(
        _ answer: (JSONValue) throws(LineError) -> some Encodable
    ) -> [Answer] {
        splitter.finish().flatMap { self.answer(to: $0, answer) }.map { [$0] } ?? []
    }

    /// Throws at the end if a line failed.
    package func end() throws(CommandFailure) {
        guard failureCount > 0 else { return }
        let lines = failureCount == 1 ? "1 line" : "\(failureCount) lines"
        throw CommandFailure(.dataError, "\(lines) of \(number) got no answer")
    }

    private mutating func answer(
        to line: LineSplitter.Line,
        _ answer: (JSONValue) throws(LineError) -> some Encodable
    ) -> Answer? {
        number += 1
        do throws(LineError) {
            guard let value = try value(of: line) else { return nil }
            let text = WireEncoding.text(try answer(value))
            return Answer(output: String(decoding: text, as: UTF8.self))
        } catch {
            failureCount += 1
            return Answer(output: "null", error: "line \(number): \(error.reason)")
        }
    }

    /// The JSON value of a line; nil for a blank one.
    private func value(of line: LineSplitter.Line) throws(LineError) -> JSONValue? {
        guard case .whole(let bytes) = line else {
            throw LineError("it is longer than \(lineBytesMax) bytes")
        }
        if bytes.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { return nil }
        do throws(JSONError) {
            return try JSONValue(parsing: bytes)
        } catch {
            throw LineError("it is not JSON: \(error)")
        }
    }
}

extension JSONValue {
    /// The token ids of an array.
    /// - Throws: if it is not an array of ids; names the first invalid element.
    package func tokens() throws(LineError) -> [TokenID] {
        guard let array else {
            throw LineError("found \(kindName) where an array of ids should be")
        }
        var tokens: [TokenID] = []
        tokens.reserveCapacity(array.count)
        for (index, element) in array.enumerated() {
            guard let token = element.integer.flatMap(TokenID.init(exactly:)), token >= 0 else {
                throw LineError("element \(index) is no token id")
            }
            tokens.append(token)
        }
        return tokens
    }
}
