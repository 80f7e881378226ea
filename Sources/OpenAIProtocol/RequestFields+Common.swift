// What the bodies of requests for answers have in common.

import ChatProtocol
import JSONText

extension RequestFields {
    /// Maximum length of the client's name for its user, in UTF-8 bytes.
    static let endUserBytesMax = 256

    /// The fields of a body.
    /// - Parameters:
    ///   - bytes: the body.
    ///   - valueCountMax: maximum number of its values.
    /// - Throws: `APIError` if it is not a JSON object.
    init(
        body bytes: [UInt8],
        valueCountMax: Int = 16 * ChatCompletionRequest.messageCountMax
    ) throws(APIError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(
                parsing: bytes,
                limits: JSONLimits(
                    byteCountMax: bytes.count,
                    depthMax: 64,
                    valueCountMax: valueCountMax
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

    /// How the answers are generated.
    /// - Parameter names: the names of the answer's maximum length, which mean the same.
    /// - Returns: what the request does not name is nil.
    /// - Throws: `APIError` if one is malformed or out of bounds.
    func settings(maxTokens names: [String]) throws(APIError) -> GenerationSettings {
        var settings = try sampling()
        settings.seed = try integer("seed").map(Int64.init)
        try check(GenerationSettings(seed: settings.seed), "seed")
        settings.maxTokens = try maxTokens(names)
        settings.stop = try stop()
        return settings
    }

    /// `stop` is a string or an array of strings.
    private func stop() throws(APIError) -> [String]? {
        guard let value = self["stop"] else { return nil }
        let texts: [String?] =
            if let text = value.string { [text] } else { value.array?.map(\.string) ?? [nil] }
        guard !texts.contains(nil) else {
            throw APIError.invalid(
                "stop",
                "it must be a string, or an array of strings",
                code: "invalid_type"
            )
        }
        let stop = texts.compactMap(\.self)
        let settings = GenerationSettings(stop: stop)
        if let violation = settings.violation { throw APIError.invalid("stop", violation) }
        return stop.isEmpty ? nil : stop
    }

    /// Whether a stream ends with the tokens used.
    func includesUsage(isStreamed: Bool) throws(APIError) -> Bool {
        guard let value = self["stream_options"] else { return false }
        guard isStreamed else {
            throw APIError.invalid("stream_options", "it is only for requests with stream: true")
        }
        let options = try RequestFields(value, at: "stream_options")
        try options.refuseOthers(
            than: ["include_usage"],
            harmless: ["include_obfuscation": { $0.bool == false }]
        )
        return try options.bool("include_usage") ?? false
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
