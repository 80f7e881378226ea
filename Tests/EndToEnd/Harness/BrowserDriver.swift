// chromedriver, which controls a real Chromium through WebDriver
// (https://www.w3.org/TR/webdriver2/).

import FoundationEssentials
import Glibc
import HTTPProtocol
import TestSupport

/// A running chromedriver. Its browsers end with it.
final class BrowserDriver {
    /// Why the page tests can't run here; nil if they can.
    static let whatIsMissing: String? = {
        for program in ["chromedriver", "chromium"] where path(of: program) == nil {
            return "\(program) is not installed: make setup installs it"
        }
        return nil
    }()

    private let program: Program
    private let port: UInt16
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        (program, port) = try Self.start(in: folder)
    }

    /// Starts chromedriver. It takes a free port of IPv4, and then the same one of IPv6; where that is
    /// taken it ends, and is started again.
    private static func start(
        in folder: TemporaryFolder,
        attempts: Int = 5
    ) throws -> (Program, port: UInt16) {
        let program = try Program(
            "chromedriver",
            ["--port=0"],
            // Chromium keeps its profile and sockets there; the folder is deleted with everything
            // in it.
            environment: ["TMPDIR": folder.path, "HOME": folder.path],
            errorPath: "\(folder.path)/chromedriver.log"
        )
        do {
            let port: UInt16 = try program.line { line in
                guard line.contains("started successfully on port") else { return nil }
                return line.split(separator: " ").last.flatMap { UInt16($0.filter(\.isNumber)) }
            }
            return (program, port)
        } catch let error as HarnessError
            where attempts > 1 && "\(error)".contains("Address already in use")
        {
            return try start(in: folder, attempts: attempts - 1)
        }
    }

    /// Sends a WebDriver command and returns its value.
    func command(
        _ method: HTTPMethod,
        _ target: String,
        _ body: JSON = [:],
        within duration: Duration = .seconds(90)
    ) throws -> JSON {
        let answer = try HTTPCall.send(
            method,
            target,
            port: port,
            headers: [.contentType: "application/json; charset=utf-8"],
            body: method == .post ? Array(try JSONEncoder().encode(body)) : [],
            within: duration
        )
        let value = try answer.decode(as: JSON.self)["value"]
        guard answer.status == 200 else { throw WebDriverError(value) }
        return value
    }

    private static func path(of program: String) -> String? {
        let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
        return folders.map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}

/// A WebDriver error.
struct WebDriverError: Error, CustomStringConvertible {
    let code: String
    let description: String

    init(_ value: JSON) {
        code = value["error"].text ?? ""
        description = "\(code): \(value["message"].text ?? "")"
    }

    /// Whether an element was replaced or covered: a retry may succeed.
    var isOfMotion: Bool {
        ["stale element", "no such element", "click intercepted", "not interactable"]
            .contains { code.contains($0) }
    }

    /// Whether a script was aborted because its page was left.
    var isOfLeaving: Bool {
        ["navigat", "unloaded", "context", "detached", "collected"]
            .contains { description.lowercased().contains($0) }
    }
}
