// The name by which this machine stands in the user's list of sign-ins.

import ChatServer
import Glibc

enum DeviceName {
    /// For example "stoa 1.0 on laptop".
    static var standard: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "stoa \(StoaVersion.text)" }
        let host = withUnsafeBytes(of: name.nodename) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return "stoa \(StoaVersion.text) on \(host)"
    }
}
