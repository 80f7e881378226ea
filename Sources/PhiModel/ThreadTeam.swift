// The threads that share a pass.

import PhiKernels

/// Threads that compute parts of one operation at the same time; used by one session at a time.
package final class ThreadTeam {
    let pointer: OpaquePointer

    /// Creates a team of `threadCount` threads, including the caller's; of one if the system has no
    /// more.
    package init(threadCount: Int) {
        guard let team = phi_team_create(max(threadCount, 1)) ?? phi_team_create(1) else {
            preconditionFailure("no memory for a thread team")
        }
        pointer = team
    }

    deinit {
        phi_team_destroy(pointer)
    }

    package var threadCount: Int { phi_team_thread_count(pointer) }

    /// Minimum number of rows to share: fewer are done before another thread has woken up.
    private static let sharedRowCountMin = 4

    /// Calls `body` for each row, concurrently if there are many: it may only write data of its
    /// row.
    func forEachRow(_ rowCount: Int, _ body: (Int) -> Void) {
        guard rowCount >= Self.sharedRowCountMin else {
            for row in 0..<rowCount { body(row) }
            return
        }
        withoutActuallyEscaping(body) { body in
            var body = body
            withUnsafeMutablePointer(to: &body) { context in
                phi_team_share(
                    pointer,
                    { context, row, _ in
                        context?.assumingMemoryBound(to: ((Int) -> Void).self).pointee(row)
                    },
                    context,
                    rowCount
                )
            }
        }
    }
}
