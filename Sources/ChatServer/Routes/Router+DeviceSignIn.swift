// The two routes of the device authorization grant (RFC 8628) that devices use. Both take forms, as
// OAuth 2.0 wants them, and their errors have OAuth's form.

import ChatProtocol
import HTTPProtocol

extension Router {
    /// `POST /api/v1/device_authorization`: makes a device code and a user code.
    func authorizeDevice(_ request: Request) async throws -> Response {
        _ = try grantForm(request)
        return .json(
            try await server.deviceSignIns.begin(
                device: device(request),
                address: clientAddress(request),
                place: place(request),
                page: "\(pageOrigin(request))/#device"
            )
        )
    }

    /// `POST /api/v1/token`: the device asks whether its user has confirmed.
    func token(_ request: Request) async throws -> Response {
        let form = try grantForm(request)
        guard form["grant_type"] == DeviceGrant.grantType else {
            throw GrantError(
                form["grant_type"] == nil ? .invalidRequest : .unsupportedGrantType,
                "grant_type must be \(DeviceGrant.grantType)"
            )
        }
        guard let code = form["device_code"] else {
            throw GrantError(.invalidRequest, "device_code is missing")
        }
        return .json(try await server.deviceSignIns.poll(code))
    }

    /// Answers with OAuth's form of errors (RFC 6749, section 5.2).
    func answeringGrant(
        _ request: Request,
        _ answer: () async throws -> Response
    ) async -> Response {
        do {
            return try await answer()
        } catch let error as GrantError {
            return .json(error, status: error.error == .invalidClient ? .unauthorized : .badRequest)
        } catch {
            let told = server.wireError(error, in: request.id)
            server.metrics.requests.refused(told.code)
            var response = Response.json(
                GrantError(GrantError.Code(told.code), told.message),
                status: HTTPStatus(told.code.httpStatus)
            )
            if let seconds = told.retryAfter {
                response.head.headers.add(.retryAfter, "\(Int(seconds.rounded(.up)))")
            }
            return response
        }
    }

    /// The fields of a form of the client "stoa".
    private func grantForm(_ request: Request) throws -> [String: String] {
        try requireOwnOrigin(request)
        let mediaType = request.head.headers[.contentType]?.split(separator: ";").first ?? ""
        guard mediaType.trimmingPrefix(" ").lowercased() == "application/x-www-form-urlencoded",
            let items = HTTPQueryItem.parse(String(decoding: request.body, as: UTF8.self))
        else {
            throw GrantError(
                .invalidRequest,
                "the body must be a form of application/x-www-form-urlencoded"
            )
        }
        let form = Dictionary(items.map { ($0.name, $0.value) }) { _, last in last }
        guard form.count == items.count else {
            throw GrantError(.invalidRequest, "a field is there twice")
        }
        guard form["client_id"] == DeviceGrant.clientID else {
            throw GrantError(.invalidClient, "client_id must be \(DeviceGrant.clientID)")
        }
        return form
    }

    /// The page's origin: of the settings, or as the client names it.
    private func pageOrigin(_ request: Request) -> String {
        if let url = server.settings.publicURL { return url }
        let scheme = server.settings.isServedOverTLS ? "https" : "http"
        return "\(scheme)://\(request.head.headers[.host] ?? "localhost")"
    }
}

extension GrantError.Code {
    /// The code for an error that is not the grant's own.
    fileprivate init(_ code: ErrorCode) {
        switch code {
        case .rateLimited, .busy, .unavailable: self = .temporarilyUnavailable
        case .internalError: self = .serverError
        default: self = .invalidRequest
        }
    }
}
