// Receipts of runs in files: a JSON object on one line.

import ChatProtocol
import FoundationEssentials
import Inference

enum ReceiptFile {
    /// What a server keeps with an answer: the run's receipt among what the answer was made from.
    private struct Stored: Decodable {
        let run: RunReceipt
    }

    /// Reads a receipt: one that `stoa generate` wrote, or one that a server kept.
    static func read(_ path: String) throws(CommandFailure) -> RunReceipt {
        guard let data = try? Data(contentsOf: URL(filePath: path)) else {
            throw CommandFailure(.noInput, "\(path): the receipt cannot be read")
        }
        let decoder = JSONDecoder()
        if let stored = try? decoder.decode(Stored.self, from: data) { return stored.run }
        do {
            return try decoder.decode(RunReceipt.self, from: data)
        } catch let error as DecodingError {
            throw CommandFailure(.dataError, "\(path) is no receipt of a run: \(place(of: error))")
        } catch {
            throw CommandFailure(.dataError, "\(path) is no receipt of a run")
        }
    }

    /// Writes a receipt.
    static func write(_ receipt: RunReceipt, to path: String) throws(CommandFailure) {
        do {
            let line = WireEncoding.text(receipt) + Array("\n".utf8)
            try Data(line).write(to: URL(filePath: path))
        } catch {
            throw CommandFailure(.cannotCreate, "\(path): the receipt cannot be written")
        }
    }

    private static func place(of error: DecodingError) -> String {
        switch error {
        case .keyNotFound(let key, let context):
            "\(path(context.codingPath + [key])) is missing"
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            "\(path(context.codingPath)) is of another type"
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            "it is not JSON"
        case .dataCorrupted(let context):
            "\(path(context.codingPath)): \(context.debugDescription)"
        @unknown default:
            "it has another form"
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.map(\.stringValue).joined(separator: ".")
    }
}
