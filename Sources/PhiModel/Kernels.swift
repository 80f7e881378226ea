// The kernel table as a Swift value.

package import Checkpoints
import Glibc
import PhiKernels

/// The kernels of a model: instruction set and precision.
///
/// Safety: the table is a constant of the program.
package struct Kernels: @unchecked Sendable {
    let table: UnsafePointer<phi_kernels>
    /// Whether activations are rounded to int8 before products with quantized weights that support
    /// it, and keys and values to `keyValueBits`. Several times as fast; the rounding error in the
    /// logits is smaller than that of 4-bit weights.
    let rounds: Bool
    /// The precision of keys and values if `rounds`.
    private let keyValueBits: KeyValueBits

    /// The value of the environment variable `STOA_KERNELS`.
    private static let requestedName = getenv("STOA_KERNELS").map { String(cString: $0) }

    /// The kernels of this process: those that `STOA_KERNELS` names, otherwise the fastest.
    /// - Throws: `.unknownKernels`.
    package static func selected() throws(CheckpointError) -> Kernels {
        try selected(by: requestedName)
    }

    /// The kernels with this name; the fastest of the processor if the name is nil or empty.
    /// - Throws: `.unknownKernels`.
    package static func selected(by name: String?) throws(CheckpointError) -> Kernels {
        guard let name, !name.isEmpty else { return fastest }
        guard let kernels = Kernels(named: name) else {
            throw .unknownKernels(name: name, known: names)
        }
        return kernels
    }

    /// The fastest kernels of the processor.
    package static let fastest = Kernels(table: phi_kernels_best(), rounds: true)

    /// The fastest kernels without rounding, for comparisons with reference values.
    package static let exact = Kernels(table: phi_kernels_best(), rounds: false)

    /// The suffixes of kernel names.
    private static let options: [[String]] = [[], ["int8"], ["int8", "kv8"]]

    /// `scalar`, `avx2`, `avxvnni`, `avx512vnni`, `amx`, `neon`, `neondotprod` or `neoni8mm`: in
    /// float32; with the suffix `-int8`, with rounded activations and 16-bit keys and values; with
    /// `-int8-kv8`, with 8-bit keys and values. Nil if there are none with this name or the
    /// processor does not support them.
    package init?(named name: String) {
        let parts = name.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
        let options = Array(parts.dropFirst())
        guard Self.options.contains(options),
            let table = phi_kernels_named(parts[0])
        else { return nil }
        self.init(
            table: table,
            rounds: options.contains("int8"),
            keyValueBits: options.contains("kv8") ? .eight : .sixteen
        )
    }

    /// The names of all kernels that the processor supports, the fastest instruction set first.
    package static var names: [String] {
        var tables: [UnsafePointer<phi_kernels>] = []
        while let table = phi_kernels_available(Int32(tables.count)) { tables.append(table) }
        return tables.flatMap { table in
            options.map { ([String(cString: table.pointee.name)] + $0).joined(separator: "-") }
        }
    }

    private init(
        table: UnsafePointer<phi_kernels>,
        rounds: Bool,
        keyValueBits: KeyValueBits = .sixteen
    ) {
        self.table = table
        self.rounds = rounds
        self.keyValueBits = keyValueBits
    }

    /// The same kernels with keys and values of 8 bits, if they round.
    var keepingEightBits: Kernels {
        Kernels(table: table, rounds: rounds, keyValueBits: rounds ? .eight : .sixteen)
    }

    /// How caches store keys and values.
    var keyValueType: phi_float_type { rounds ? keyValueBits.kernelType : PHI_FLOAT32 }

    /// The name, for logs and receipts.
    package var name: String {
        String(cString: table.pointee.name) + (rounds ? "-int8" : "")
            + (keyValueBits == .eight ? "-kv8" : "")
    }
}
