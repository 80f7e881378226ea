// What the bodies of requests for answers have in common.

import ChatProtocol
import JSONText

extension RequestFields {
    /// Maximum length of the client's name for its user, in UTF-8 bytes.
    static let endUserBytesMax = 256

    /// The fields of a body.
    /// - Throws: `APIError` if it is not a JSON object.
    init(body bytes: [UInt8]) throws(APIError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(
                parsing: bytes,
                limits: JSONLimits(
                    byteCountMax: bytes.count,
                    depthMax: 32,
                    valueCountMax: 16 * ChatCompletionRequest.messageCountMax
                )
            )
        } catch {
            throw APIError(400, .invalidRequest, "the body is not JSON: \(error)")
        }
        try self.init(value, at: "")
    }

    /// The model's name.
    func model() throws(APIError) -> String {
        guard let model = try string("model") else {
            throw APIError.invalid("model", "it is missing", code: "missing_required_parameter")
        }
        return model
    }

    /// The client's name for its own user.
    func endUser() throws(APIError) -> String? {
        let endUser = try string("user")
        if let endUser, endUser.utf8.count > Self.endUserBytesMax {
            throw APIError.invalid("user", "it is longer than \(Self.endUserBytesMax) bytes")
        }
        return endUser
    }

    /// The temperature and `top_p`.
    func sampling() throws(APIError) -> GenerationSettings {
        var settings = GenerationSettings()
        settings.temperature = try number("temperature")
        try check(GenerationSettings(temperature: settings.temperature), "temperature")
        settings.topP = try number("top_p")
        try check(GenerationSettings(topP: settings.topP), "top_p")
        return settings
    }

    /// Throws if a setting is out of bounds.
    func check(_ setting: GenerationSettings, _ name: String) throws(APIError) {
        guard let violation = setting.violation else { return }
        let problem =
            violation.hasPrefix(name + " ") ? violation.dropFirst(name.count + 1) : violation[...]
        throw APIError.invalid(name, "it \(problem)")
    }

    /// The maximum length of the answer, in tokens.
    /// - Parameter names: the names of the field, which mean the same.
    /// - Returns: nil if it is absent.
    /// - Throws: `APIError` if it is out of bounds, or the names have different values.
    func maxTokens(_ names: [String]) throws(APIError) -> Int? {
        var maxTokens: Int?
        for name in names {
            guard let value = try integer(name) else { continue }
            guard (1...1_000_000).contains(value) else {
                throw APIError.invalid(name, "it must be 1 to 1000000")
            }
            guard maxTokens == nil || maxTokens == value else {
                throw APIError.invalid(name, "it differs from \(names[0]): send one")
            }
            maxTokens = value
        }
        return maxTokens
    }
}
