// What each route of the HTTP interface needs. What operations need stands in their definitions.

public import ChatProtocol

extension HTTPRoute {
    /// What the asker has to be allowed to do.
    public var requirement: Requirement {
        switch self {
        // A WebSocket's client may say who it is in its first frame; each operation is looked at then.
        case .webSocket, .liveness, .readiness, .signUp, .passwordReset, .deviceAuthorization,
            .token, .openIDStart, .openIDCallback:
            .nothing
        // The link is the right; so is the token of the settings, which no sign-in stands in for.
        case .shared, .metrics: .nothing
        // To sign in needs nothing.
        case .session: .signedIn
        // Of one's own; of a team `.export`, of the server `.transferEverything`.
        case .transferExport, .transferImport: .signedIn
        case .conversationExport, .receipt: .conversation(.read)
        case .openAIModels, .openAIModel, .openAIChatCompletions, .openAICompletions,
            .openAIResponses, .openAIResponse:
            .signedIn
        }
    }

    /// Which keys may ask for it.
    public var scope: Scope {
        switch self {
        case .webSocket, .liveness, .readiness, .metrics, .conversationExport, .transferExport,
            .receipt, .shared:
            .read
        case .transferImport: .write
        case .session, .signUp, .passwordReset, .deviceAuthorization, .token, .openIDStart,
            .openIDCallback:
            .account
        case .openAIModels, .openAIModel, .openAIChatCompletions, .openAICompletions,
            .openAIResponses, .openAIResponse:
            .complete
        }
    }
}
