// The table of kernels and the threads that share their work, as Swift values.

import Glibc
import PhiKernels

/// How a model's arithmetic is done: with which instruction set, and how exactly.
///
/// Safety: the table is a constant of the program.
package struct Kernels: @unchecked Sendable {
    let table: UnsafePointer<phi_kernels>
    /// Whether activations are rounded to int8 before products with quantized weights that allow
    /// it, and keys and values to `keyValueBits`. Several times as fast; the rounding adds less to
    /// the logits than 4-bit weights did.
    let rounds: Bool
    /// What keys and values are rounded to, where anything is.
    private let keyValueBits: KeyValueBits

    /// The arithmetic that this process uses: what the environment variable `STOA_KERNELS` names,
    /// else the fastest that the processor has.
    package static let selected: Kernels =
        getenv("STOA_KERNELS").flatMap { Kernels(named: String(cString: $0)) }
        ?? Kernels(table: phi_kernels_best(), rounds: true)

    /// The fastest that does not round, for comparisons with reference values.
    package static let exact = Kernels(table: phi_kernels_best(), rounds: false)

    /// What may stand behind an instruction set's name.
    private static let options: [[String]] = [[], ["int8"], ["int8", "kv8"]]

    /// `scalar`, `avx2`, `avx512vnni`, `neon`, `neondotprod` or `neoni8mm`: in float32; with `-int8`
    /// behind it, with rounded numbers; with `-int8-kv8`, also with keys and values of 8 bits. Nil
    /// where there is none of this name or the processor cannot run it.
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

    private init(
        table: UnsafePointer<phi_kernels>,
        rounds: Bool,
        keyValueBits: KeyValueBits = .sixteen
    ) {
        self.table = table
        self.rounds = rounds
        self.keyValueBits = keyValueBits
    }

    /// The same with keys and values of 8 bits, where they are rounded.
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
