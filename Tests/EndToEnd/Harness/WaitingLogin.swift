// `stoa login --web` that waits for its user.

import ChatProtocol
import HTTPProtocol

/// A terminal that shows a link and a code.
struct WaitingLogin {
    let program: Program
    /// The link that it shows.
    let link: String
    /// The code that it shows.
    let code: String

    init(_ server: StoaServer, device: String, _ arguments: [String] = []) throws {
        let program = try server.start(
            ["login", server.origin, "--web", "--device", device] + arguments
        )
        var lines: [Substring] = []
        try eventually("a code is shown") {
            lines = program.errorOutput.split(separator: "\n").map { $0.drop { $0 == " " } }
            return lines.count > 4
        }
        self.program = program
        link = String(lines[1])
        code = String(lines[3])
    }

    /// Its exit, what it printed, and its last line on standard error.
    func end() throws -> (end: Program.End, output: String, failure: String) {
        let (end, output) = try program.end()
        let failure = program.errorOutput.split(separator: "\n").last.map(String.init) ?? ""
        return (end, output, failure)
    }
}

extension StoaServer {
    /// A POST of a form.
    func post(
        _ target: String,
        form: [(String, String)],
        headers: HTTPHeaders = HTTPHeaders()
    ) throws -> HTTPAnswer {
        var headers = headers
        if headers[.contentType] == nil {
            headers[.contentType] = "application/x-www-form-urlencoded"
        }
        let body = form.map { "\($0)=\(PercentEncoding.encode($1))" }.joined(separator: "&")
        return try HTTPCall.send(
            .post,
            target,
            port: port,
            headers: headers,
            body: Array(body.utf8)
        )
    }

    /// Begins the sign-in of a device.
    func beginDevice() throws -> DeviceAuthorizationReply {
        try post("/api/v1/device_authorization", form: [("client_id", "stoa")])
            .decode(as: DeviceAuthorizationReply.self)
    }

    /// Asks for the result of a device's sign-in.
    func pollDevice(_ codes: DeviceAuthorizationReply) throws -> HTTPAnswer {
        try post(
            "/api/v1/token",
            form: [
                ("client_id", "stoa"), ("device_code", codes.deviceCode),
                ("grant_type", DeviceGrant.grantType),
            ]
        )
    }
}

extension HTTPAnswer {
    /// The error of OAuth in it.
    var grantError: GrantError.Code? { try? decode(as: GrantError.self).error }
}
