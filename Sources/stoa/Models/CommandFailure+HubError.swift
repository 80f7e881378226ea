// What a failed pull means to a shell.

import ModelHub

extension CommandFailure {
    /// The exit code after the kind of failure, and the error's own line.
    init(_ error: HubError) {
        let status: Status =
            switch error {
            case .badName: .usage
            case .badSetting: .configuration
            case .offline, .network, .http, .unavailable: .unavailable
            case .notFound: .noInput
            case .gated: .noPermission
            case .badResponse, .wrongChecksum: .dataError
            case .disk: .cannotCreate
            }
        self.init(status, "\(error)")
    }
}
