// What the machine can do at most, measured in pieces between other measurements: on a virtual machine it
// changes within seconds, so only pieces of the same seconds can be compared.

import MachineLimits

/// The mean speed of some pieces of work.
private struct Pieces {
    private var amount = 0.0
    private var seconds = 0.0

    var mean: Double { amount / seconds }

    mutating func add(_ amount: Double, in seconds: Double) {
        self.amount += amount
        self.seconds += seconds
    }
}

/// How fast threads read memory that do nothing else.
final class MemorySpeed {
    /// Far more than the caches hold.
    private static let byteCount = 1 << 30

    private let memory: OpaquePointer
    private let threads: Int
    private var pieces = Pieces()

    /// nil if the system has not enough memory.
    init?(threads: Int) {
        guard let memory = machine_memory_create(Self.byteCount) else { return nil }
        self.memory = memory
        self.threads = threads
    }

    deinit {
        machine_memory_destroy(memory)
    }

    /// Bytes per second of the pieces since the last `forget`.
    var mean: Double { pieces.mean }

    func readPiece() {
        let piece = Self.byteCount / 4
        pieces.add(Double(piece), in: machine_read_seconds(memory, piece, threads))
    }

    func forget() {
        pieces = Pieces()
    }

    /// Bytes per second, the fastest of five times the whole memory.
    func fastest() -> Double {
        let seconds = (0..<5).map { _ in machine_read_seconds(memory, Self.byteCount, threads) }
        return Double(Self.byteCount) / (seconds.min() ?? .infinity)
    }
}

/// How fast threads multiply bytes that do nothing else, with the instructions of a table of kernels.
final class ProcessorSpeed {
    private let instructions: String
    private let threads: Int
    private var pieces = Pieces()

    /// nil if the instructions of `kernels`, such as "avx2-int8", cannot be measured.
    init?(kernels: String, threads: Int) {
        instructions = String(kernels.prefix { $0 != "-" })
        self.threads = threads
        guard machine_int8_speed(instructions, threads) > 0 else { return nil }
    }

    /// Multiply-adds per second of the pieces since the last `forget`.
    var mean: Double { pieces.mean }

    func measurePiece() {
        pieces.add(1, in: 1 / machine_int8_speed(instructions, threads))
    }

    func forget() {
        pieces = Pieces()
    }

    /// Multiply-adds per second, the fastest of ten pieces.
    func fastest() -> Double {
        (0..<10).map { _ in machine_int8_speed(instructions, threads) }.max() ?? 0
    }
}
