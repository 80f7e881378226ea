// The table of kernels and the threads that share their work, as Swift values.

package import Checkpoints
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

    /// What the environment variable `STOA_KERNELS` names.
    private static let nameAsked = getenv("STOA_KERNELS").map { String(cString: $0) }

    /// The arithmetic that this process uses: what `STOA_KERNELS` names, else the fastest.
    /// - Throws: `.unknownKernels`.
    package static func selected() throws(CheckpointError) -> Kernels {
        try selected(by: nameAsked)
    }

    /// The arithmetic of a name; the fastest that the processor has where the name is nil or empty.
    /// - Throws: `.unknownKernels`.
    package static func selected(by name: String?) throws(CheckpointError) -> Kernels {
        guard let name, !name.isEmpty else { return fastest }
        guard let kernels = Kernels(named: name) else {
            throw .unknownKernels(name: name, known: names)
        }
        return kernels
    }

    /// The fastest that the processor has.
    package static let fastest = Kernels(table: phi_kernels_best(), rounds: true)

    /// The fastest that does not round, for comparisons with reference values.
    package static let exact = Kernels(table: phi_kernels_best(), rounds: false)

    /// What may stand behind an instruction set's name.
    private static let options: [[String]] = [[], ["int8"], ["int8", "kv8"]]

    /// `scalar`, `avx2`, `avx512vnni`, `amx`, `neon`, `neondotprod` or `neoni8mm`: in float32; with
    /// `-int8` behind it, with rounded numbers; with `-int8-kv8`, also with keys and values of 8 bits. Nil
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

    /// The names of all arithmetic that the processor has, the fastest instruction set's first.
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
