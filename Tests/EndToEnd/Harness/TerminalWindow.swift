// A terminal, usually of 80 columns and 24 rows, drawn by tmux.

import FoundationEssentials
import Glibc
import TestSupport

/// A program in a terminal. It ends with this object.
final class TerminalWindow {
    /// Whether tmux is missing.
    static let isMissing = !FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux")

    private let folder: TemporaryFolder
    /// A folder that the program reads.
    private var kept: TemporaryFolder?
    private var socket: String { "\(folder.path)/tmux" }

    /// Starts a command of the program in a new terminal.
    convenience init(
        _ server: StoaServer,
        _ arguments: [String],
        environment: [String: String] = [:],
        columns: Int = 80,
        rows: Int = 24
    ) throws {
        let quoted = ([StoaServer.program] + arguments).map { "'\($0)'" }.joined(separator: " ")
        // A Ctrl-C that comes when the program has ended must not end what keeps the window open.
        try self.init(
            shell: "trap : INT; \(quoted); echo \"exit $?\"; trap '' INT; exec cat",
            environment: ["XDG_CONFIG_HOME": "\(server.folder.path)/config"]
                .merging(environment) { $1 },
            columns: columns,
            rows: rows
        )
    }

    /// Shows what another terminal got.
    convenience init(replaying bytes: [UInt8], columns: Int, rows: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("bytes", bytes)
        try self.init(shell: "cat '\(path)'; exec cat", columns: columns, rows: rows)
        kept = folder
    }

    /// Starts a command of a shell in a new terminal.
    init(
        shell command: String,
        environment: [String: String] = [:],
        columns: Int,
        rows: Int
    ) throws {
        folder = try TemporaryFolder()
        let variables = ["XDG_STATE_HOME": folder.path, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8"]
            .merging(environment) { $1 }
        _ = try tmux(
            ["-f", "/dev/null", "-u", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)"]
                + variables.flatMap { ["-e", "\($0)=\($1)"] } + [command]
        )
    }

    deinit {
        _ = try? tmux(["kill-server"])
    }

    /// Types keys by tmux's names, such as "C-c" and "Enter".
    func press(_ keys: String...) throws { _ = try tmux(["send-keys"] + keys) }

    /// Types a text.
    func type(_ text: String) throws { _ = try tmux(["send-keys", "-l", text]) }

    /// Pastes a text as terminals do.
    func paste(_ text: String) throws {
        _ = try tmux(["set-buffer", text])
        _ = try tmux(["paste-buffer", "-p"])
    }

    /// Sends a signal to the program in it.
    func send(_ signal: Int32) throws {
        let shell = try tmux(["display-message", "-p", "#{pane_pid}"]).prefix { $0.isNumber }
        let path = "/proc/\(shell)/task/\(shell)/children"
        let children = try String(contentsOfFile: path, encoding: .utf8).split(separator: " ")
        guard let child = children.first.flatMap({ pid_t($0) }) else {
            throw HarnessError("no program runs in the terminal")
        }
        kill(child, signal)
    }

    func resize(columns: Int, rows: Int) throws {
        _ = try tmux(["resize-window", "-x", "\(columns)", "-y", "\(rows)"])
    }

    /// The lines of the screen, and those that have scrolled away.
    func lines() throws -> [String] {
        try tmux(["capture-pane", "-p", "-S", "-2000"]).split(
            separator: "\n",
            omittingEmptySubsequences: false
        ).map(String.init)
    }

    /// Waits until the screen shows what `condition` wants.
    @discardableResult
    func wait(_ what: String, until condition: ([String]) -> Bool) throws -> [String] {
        var seen: [String] = []
        do {
            try eventually(what) {
                seen = try lines()
                return condition(seen)
            }
        } catch {
            throw HarnessError("\(what): \(error)\n\(seen.joined(separator: "\n"))")
        }
        return seen
    }

    private func tmux(_ arguments: [String]) throws -> String {
        let errors = "\(folder.path)/tmux.log"
        let program = try Program(
            "/usr/bin/tmux",
            ["-S", socket] + arguments,
            environment: ["LC_ALL": "C.UTF-8", "TMUX": ""],
            errorPath: errors
        )
        let (end, output) = try program.end()
        guard end == .exited(0) else {
            throw HarnessError("tmux \(arguments): \(end) \(program.errorOutput)")
        }
        return output
    }
}
