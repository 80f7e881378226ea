// A shell that waits for the test process to end, in whatever way, and then cleans up.

import CLinux
import FoundationEssentials
import Glibc
import Postgres

/// Stops and deletes a cluster when this process has ended.
public enum TestClusterWatchdog {
    /// Starts the shell. It reads from a pipe whose other end only this process has, so the read
    /// ends with the process.
    public static func start(folder: String) throws {
        var ends: [Int32] = [-1, -1]
        guard stoa_pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
        defer { close(ends[0]) }
        let script = """
            cat > /dev/null
            pid=$(head -n 1 "$0/data/postmaster.pid" 2> /dev/null)
            [ -n "$pid" ] && kill -QUIT "$pid" 2> /dev/null
            tries=0
            while [ -n "$pid" ] && kill -0 "$pid" 2> /dev/null && [ $tries -lt 100 ]; do
                sleep 0.05
                tries=$((tries + 1))
            done
            rm -rf "$0"
            """
        var process: pid_t = 0
        var failed = STOA_SPAWN_FORK
        let error = withCStrings(["sh", "-c", script, folder]) { arguments in
            withCStrings(["PATH=/usr/bin:/bin"]) { environment in
                "/bin/sh".withCString { program in
                    var request = stoa_spawn_request(
                        program: program,
                        arguments: arguments,
                        environment: environment,
                        folder: nil,
                        input: ends[0],
                        output: -1,
                        changes_user: false,
                        user: 0,
                        group: 0
                    )
                    return stoa_spawn(&request, &process, &failed)
                }
            }
        }
        guard error == 0 else { throw POSIXError(.ENOENT) }
    }
}
