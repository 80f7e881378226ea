// Reads and writes receipts: a JSON object on one line.

import ChatProtocol
import ChatServer
import EventLoop
import FoundationEssentials
import Inference

enum ReceiptFile {
    private static let bytesMax = 64 << 20

    /// A stored receipt of a server, which contains the run's receipt.
    private struct Stored: Decodable {
        let run: RunReceipt
    }

    /// Reads a receipt from `stoa generate` or from a server.
    static func read(_ path: String) throws(CommandFailure) -> RunReceipt {
        let data = Data(try InputFile.read(path, limit: bytesMax))
        let decoder = JSONDecoder()
        if let stored = try? decoder.decode(Stored.self, from: data) { return stored.run }
        do {
            return try decoder.decode(RunReceipt.self, from: data)
        } catch {
            throw CommandFailure(
                .dataError,
                "\(path) is not a receipt of a run: \(DecodingError.reason(of: error))"
            )
        }
    }

    /// Writes a receipt.
    static func write(_ receipt: RunReceipt, to path: String) throws(CommandFailure) {
        let line = WireEncoding.text(receipt) + Array("\n".utf8)
        do throws(FileError) { try FileSystem.write(line, to: path) } catch {
            throw CommandFailure(error)
        }
    }
}
