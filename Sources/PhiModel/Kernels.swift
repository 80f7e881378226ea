// The table of kernels and the threads that share their work, as Swift values.

import Glibc
import PhiKernels

/// The operations of one instruction set.
///
/// Safety: the table is a constant of the program.
struct Kernels: @unchecked Sendable {
    let table: UnsafePointer<phi_kernels>

    /// The operations that this process uses: what the environment variable `STOA_KERNELS` names
    /// (`scalar`, `avx2`), else the best that the processor has.
    static let selected: Kernels = {
        let named = getenv("STOA_KERNELS").flatMap { phi_kernels_named($0) }
        return Kernels(table: named ?? phi_kernels_best())
    }()

    /// The instruction set's name.
    var name: String { String(cString: table.pointee.name) }
}

/// Threads that compute parts of one operation at the same time; owned by one session.
final class ThreadTeam {
    let pointer: OpaquePointer

    /// A team of `threadCount` threads, the caller's included; of one where the system gives no
    /// more.
    init(threadCount: Int) {
        guard let team = phi_team_create(max(threadCount, 1)) ?? phi_team_create(1) else {
            preconditionFailure("no memory for a thread team")
        }
        pointer = team
    }

    deinit {
        phi_team_destroy(pointer)
    }

    var threadCount: Int { phi_team_thread_count(pointer) }
}
