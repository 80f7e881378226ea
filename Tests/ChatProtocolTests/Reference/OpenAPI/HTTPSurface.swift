// The methods of each route: one case for each route of `HTTPRoute`, so that a new route does not
// compile without what the document says of it.

import ChatProtocol
import HTTPProtocol
import OpenAIProtocol
import Transfers

extension HTTPRoute {
    /// What the document says of the route.
    var operations: [HTTPOperation] {
        switch self {
        case .webSocket: [Self.chat]
        case .liveness: [Self.health("getLiveness", "Says that the process runs.")]
        case .readiness:
            [
                Self.health(
                    "getReadiness",
                    "Says whether the server can answer, and if not, why.",
                    mayFail: true
                )
            ]
        case .metrics: [Self.metricsText]
        case .session: Self.sessionMethods
        case .signUp: [Self.signUpMethod]
        case .passwordReset: [Self.resetMethod]
        case .deviceAuthorization: [Self.deviceAuthorizationMethod]
        case .token: [Self.tokenMethod]
        case .openIDStart: [Self.openIDStartMethod]
        case .openIDCallback: [Self.openIDCallbackMethod]
        case .conversationExport: [Self.exportMethod]
        case .transferExport: [Self.exportManyMethod]
        case .transferImport: [Self.importMethod]
        case .receipt: [Self.receiptMethod]
        case .shared: [Self.sharedMethod]
        case .openAIModels: [OpenAISurface.modelList]
        case .openAIModel: [OpenAISurface.model]
        case .openAIChatCompletions: [OpenAISurface.chatCompletion]
        case .openAIResponses: [OpenAISurface.createResponse]
        case .openAICompletions: [OpenAISurface.textCompletion]
        case .openAIResponse: [OpenAISurface.response, OpenAISurface.deleteResponse]
        }
    }

    /// Whether its errors have OpenAI's form.
    var isOpenAI: Bool { rawValue.hasPrefix("/v1/") }

    // MARK: Chat and health

    private static let chat = HTTPOperation(
        method: .get,
        name: "openChat",
        summary: "Opens the WebSocket of the chat protocol, which asyncapi.yaml describes.",
        access: .anybody,
        parameters: [
            HTTPOperation.Parameter(
                name: "shared",
                schema: Schema.string,
                description: "Present for a reader with a share link, who sends the link's token "
                    + "in the first frame."
            )
        ],
        replies: [
            HTTPOperation.Reply(
                status: 101,
                description: "The connection is a WebSocket with the subprotocol stoa.v1."
            )
        ],
        errors: [.unauthenticated, .forbidden, .rateLimited],
        textErrors: [
            (400, "The handshake of RFC 6455 is malformed, or does not offer stoa.v1."),
            (426, "The request does not ask for a WebSocket of version 13."),
        ]
    )

    private static func health(
        _ name: String,
        _ summary: String,
        mayFail: Bool = false
    ) -> HTTPOperation {
        HTTPOperation(
            method: .get,
            name: name,
            summary: summary,
            access: .anybody,
            replies: [
                HTTPOperation.Reply(
                    status: 200,
                    description: "The server answers.",
                    contents: [.text()]
                )
            ],
            textErrors: mayFail ? [(503, "It cannot: the text says why.")] : []
        )
    }

    private static let metricsText = HTTPOperation(
        method: .get,
        name: "getMetrics",
        summary: "Returns all metrics in the text format of Prometheus.",
        access: .metricsToken,
        replies: [
            HTTPOperation.Reply(
                status: 200,
                description: "docs/reference/metrics.md lists them.",
                contents: [.text("text/plain; version=0.0.4; charset=utf-8")]
            )
        ],
        errors: [.unauthenticated],
        textErrors: [(404, "The settings have no token for metrics.")]
    )

    // MARK: Sessions

    private static let signedIn = HTTPOperation.Reply(
        status: 200,
        description: "Signed in.",
        contents: HTTPOperation.Content.json(Schema.named("SignInReply")),
        headers: [("Set-Cookie", "The session, for browsers.")]
    )

    private static let sessionMethods = [
        HTTPOperation(
            method: .get,
            name: "getSession",
            summary: "Returns the signed-in user.",
            replies: [
                HTTPOperation.Reply(
                    status: 200,
                    description: "The user; for a new sign-in by a trusted proxy also its token.",
                    contents: HTTPOperation.Content.json([
                        "type": "object",
                        "required": ["user"],
                        "properties": [
                            "user": Schema.named("User"), "token": Schema.string,
                        ],
                    ])
                ),
                HTTPOperation.Reply(
                    status: 401,
                    description: "Nobody is signed in.",
                    contents: HTTPOperation.Content.json(Schema.named("SignedOutBody"))
                ),
            ],
            errors: [.forbidden]
        ),
        HTTPOperation(
            method: .post,
            name: "signIn",
            summary: "Signs in with a password.",
            access: .anybody,
            body: HTTPOperation.Content.json(Schema.named("SignInRequest")),
            replies: [signedIn],
            errors: [.badRequest, .wrongCredentials, .forbidden, .rateLimited]
        ),
        HTTPOperation(
            method: .delete,
            name: "signOut",
            summary: "Signs out.",
            replies: [
                HTTPOperation.Reply(
                    status: 204,
                    description: "Signed out.",
                    headers: [("Set-Cookie", "Removes the session's cookie.")]
                )
            ],
            errors: [.unauthenticated, .forbidden]
        ),
    ]

    private static let signUpMethod = HTTPOperation(
        method: .post,
        name: "signUp",
        summary: "Creates an account with the token of an invitation, and signs in.",
        access: .anybody,
        body: HTTPOperation.Content.json(Schema.named("SignUpRequest")),
        replies: [signedIn],
        errors: [.badRequest, .forbidden, .notFound, .conflict, .limitExceeded, .rateLimited]
    )

    private static let resetMethod = HTTPOperation(
        method: .post,
        name: "resetPassword",
        summary: "Sets a password with the token of a link that an administrator made.",
        access: .anybody,
        body: HTTPOperation.Content.json(Schema.named("PasswordResetRequest")),
        replies: [HTTPOperation.Reply(status: 204, description: "The password is set.")],
        errors: [.badRequest, .forbidden, .notFound, .rateLimited]
    )

    // MARK: OpenID

    private static let redirect = HTTPOperation.Reply(
        status: 302,
        description: "Redirects a browser; after a failure to the page, which explains it.",
        headers: [("Location", "Where to go.")]
    )

    private static let openIDStartMethod = HTTPOperation(
        method: .get,
        name: "startOpenID",
        summary: "Begins a sign-in with the OpenID provider.",
        access: .anybody,
        replies: [redirect],
        errors: [.notFound, .rateLimited]
    )

    private static let openIDCallbackMethod = HTTPOperation(
        method: .get,
        name: "finishOpenID",
        summary: "Ends a sign-in with the OpenID provider, which redirects browsers here.",
        access: .anybody,
        parameters: [
            HTTPOperation.Parameter(
                name: "code",
                schema: Schema.string,
                description: "The provider's code; absent if it did not sign the user in."
            ),
            HTTPOperation.Parameter(
                name: "state",
                schema: Schema.string,
                description: "The state of the sign-in that was begun."
            ),
        ],
        replies: [redirect],
        errors: [.forbidden, .notFound]
    )

    // MARK: Conversations

    private static let receiptMethod = HTTPOperation(
        method: .get,
        name: "getReceipt",
        summary: "Returns the receipt of an answer, which docs/use/receipts.md explains.",
        replies: [
            HTTPOperation.Reply(
                status: 200,
                description: "The receipt.",
                contents: HTTPOperation.Content.json(Schema.named("PromptReceipt"))
            )
        ],
        errors: [.unauthenticated, .forbidden, .notFound]
    )

    private static let sharedMethod = HTTPOperation(
        method: .get,
        name: "getShared",
        summary: "Returns a page of the branch that a share link shows.",
        access: .anybody,
        parameters: [
            HTTPOperation.Parameter(
                name: "before",
                schema: Schema.uuid,
                description: "Older messages than this one; absent for the newest."
            )
        ],
        replies: [
            HTTPOperation.Reply(
                status: 200,
                description: "Up to 200 messages.",
                contents: HTTPOperation.Content.json(Schema.named("SharedPage"))
            )
        ],
        errors: [.notFound]
    )
}
