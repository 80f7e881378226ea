// The table of kernels and the threads that share their work, as Swift values.

import Glibc
import PhiKernels

/// How a model's arithmetic is done: with which instruction set, and how exactly.
///
/// Safety: the table is a constant of the program.
package struct Kernels: @unchecked Sendable {
    let table: UnsafePointer<phi_kernels>
    /// Whether activations are rounded to int8 before products with quantized weights that allow
    /// it, and keys and values to 16 bits. Several times as fast; the rounding adds less to the
    /// logits than 4-bit weights did.
    let rounds: Bool

    /// The arithmetic that this process uses: what the environment variable `STOA_KERNELS` names,
    /// else the fastest that the processor has.
    package static let selected: Kernels =
        getenv("STOA_KERNELS").flatMap { Kernels(named: String(cString: $0)) }
        ?? Kernels(table: phi_kernels_best(), rounds: true)

    /// The fastest that does not round, for comparisons with reference values.
    package static let exact = Kernels(table: phi_kernels_best(), rounds: false)

    /// `scalar`, `avx2`, `avx512vnni`, `neon` or `neondotprod`, in float32 or, with `-int8` behind
    /// it, with rounded numbers; nil where there is none of this name or the processor cannot run
    /// it.
    package init?(named name: String) {
        let suffix = "-int8"
        let rounds = name.hasSuffix(suffix)
        let set = rounds ? String(name.dropLast(suffix.count)) : name
        guard let table = phi_kernels_named(set) else { return nil }
        self.init(table: table, rounds: rounds)
    }

    private init(table: UnsafePointer<phi_kernels>, rounds: Bool) {
        self.table = table
        self.rounds = rounds
    }

    /// The name, for logs and receipts.
    package var name: String {
        String(cString: table.pointee.name) + (rounds ? "-int8" : "")
    }
}
