// Reads the body of `POST /v1/chat/completions`. What is not supported is an error that names the
// field.

import ChatProtocol
import JSONText

extension ChatCompletionRequest {
    /// Reads a request.
    /// - Parameter bytes: the body.
    /// - Throws: `APIError` if it is not JSON, or a field is missing, wrong, or not supported.
    public init(reading bytes: [UInt8]) throws(APIError) {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONValue(
                parsing: bytes,
                limits: JSONLimits(
                    byteCountMax: bytes.count,
                    depthMax: 32,
                    valueCountMax: 16 * Self.messageCountMax
                )
            )
        } catch {
            throw APIError(400, .invalidRequest, "the body is not JSON: \(error)")
        }
        let fields = try RequestFields(value, at: "")
        try fields.refuseOthers(than: Self.fields, harmless: Self.unsupported)
        guard let model = try fields.string("model") else {
            throw APIError.invalid("model", "it is missing", code: "missing_required_parameter")
        }
        let messages = try RequestMessages(reading: fields.required("messages"))
        self.init(
            model: model,
            system: messages.system,
            history: messages.history,
            question: messages.question,
            settings: try Self.settings(fields),
            isStreamed: try fields.bool("stream") ?? false,
            includesUsage: false,
            store: try fields.bool("store"),
            endUser: try fields.string("user")
        )
        if let endUser, endUser.utf8.count > Self.endUserBytesMax {
            throw APIError.invalid("user", "it is longer than \(Self.endUserBytesMax) bytes")
        }
        includesUsage = try readIncludesUsage(fields)
    }

    private func readIncludesUsage(_ fields: RequestFields) throws(APIError) -> Bool {
        guard let value = fields["stream_options"] else { return false }
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

    // MARK: Settings

    private static func settings(_ fields: RequestFields) throws(APIError) -> GenerationSettings {
        var settings = GenerationSettings()
        settings.temperature = try fields.number("temperature")
        try check(GenerationSettings(temperature: settings.temperature), "temperature")
        settings.topP = try fields.number("top_p")
        try check(GenerationSettings(topP: settings.topP), "top_p")
        settings.seed = try fields.integer("seed").map(Int64.init)
        try check(GenerationSettings(seed: settings.seed), "seed")
        settings.maxTokens = try maxTokens(fields)
        settings.stop = try stop(fields)
        return settings
    }

    private static func check(
        _ setting: GenerationSettings,
        _ name: String
    ) throws(APIError) {
        guard let violation = setting.violation else { return }
        let problem =
            violation.hasPrefix(name + " ") ? violation.dropFirst(name.count + 1) : violation[...]
        throw APIError.invalid(name, "it \(problem)")
    }

    private static func maxTokens(_ fields: RequestFields) throws(APIError) -> Int? {
        var maxTokens: Int?
        for name in maxTokensNames {
            guard let value = try fields.integer(name) else { continue }
            guard (1...1_000_000).contains(value) else {
                throw APIError.invalid(name, "it must be 1 to 1000000")
            }
            guard maxTokens == nil || maxTokens == value else {
                throw APIError.invalid(name, "it differs from max_completion_tokens: send one")
            }
            maxTokens = value
        }
        return maxTokens
    }

    /// `stop` is a string or an array of strings.
    private static func stop(_ fields: RequestFields) throws(APIError) -> [String]? {
        guard let value = fields["stop"] else { return nil }
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
}
