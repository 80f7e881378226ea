import ChatCore
import ChatProtocol
import Testing

@Suite("Permissions")
struct PermissionTests {
    private static let all = Set(ConversationAction.allCases)
    private static let ofEditors: Set<ConversationAction> = [
        .read, .write, .deleteOwnMessages, .change, .leave,
    ]
    private static let ofViewers: Set<ConversationAction> = [.read, .leave]

    @Test(
        "a role in a conversation permits its actions, within the limits of the team role",
        arguments: [
            (Standing(role: .owner), all),
            (Standing(role: .editor), ofEditors),
            (Standing(role: .viewer), ofViewers),
            (Standing(role: .owner, team: .member(.owner)), all),
            (Standing(role: .owner, team: .member(.member)), all),
            (Standing(role: .owner, team: .member(.viewer)), ofViewers),
            (Standing(role: .editor, team: .member(.admin)), ofEditors),
        ]
    )
    func roles(standing: Standing, allowed: Set<ConversationAction>) {
        for action in ConversationAction.allCases {
            let expected: Permission = allowed.contains(action) ? .granted : .forbidden
            #expect(Permission.decide(action, standing) == expected)
        }
    }

    @Test(
        "conversations are invisible to strangers, former team members and disabled users",
        arguments: [
            Standing(role: nil),
            Standing(role: nil, team: .member(.owner)),
            Standing(role: .owner, team: .outsider),
            Standing(role: .owner, isDisabled: true),
            Standing(role: .owner, team: .member(.owner), isDisabled: true),
        ]
    )
    func invisible(standing: Standing) {
        for action in ConversationAction.allCases {
            #expect(Permission.decide(action, standing) == .invisible)
        }
    }

    @Test(
        "a role in a team permits its actions",
        arguments: [
            (TeamRole.owner, Set(TeamAction.allCases)),
            (.admin, Set(TeamAction.allCases).subtracting([.own])),
            (.member, [.see, .write, .managePrompts, .leave]),
            (.viewer, [.see, .leave]),
        ] as [(TeamRole, Set<TeamAction>)]
    )
    func teams(role: TeamRole, allowed: Set<TeamAction>) {
        for action in TeamAction.allCases {
            let expected: Permission = allowed.contains(action) ? .granted : .forbidden
            #expect(Permission.decide(action, as: role) == expected)
            #expect(Permission.decide(action, as: nil) == .invisible)
        }
    }

    @Test("only administrators may act on the server")
    func administrators() {
        for action in ServerAction.allCases {
            #expect(Permission.decide(action, isAdministrator: true) == .granted)
            #expect(Permission.decide(action, isAdministrator: false) == .forbidden)
        }
    }

    @Test("a key permits nothing beyond its scopes, whoever created it", arguments: Scope.allCases)
    func keys(scope: Scope) {
        let key = Credential(scopes: [scope], isAdministrator: true)
        for operation in OperationDefinition.all {
            let expected: Permission = operation.scope == scope ? .granted : .forbidden
            #expect(Permission.decide(operation, with: key) == expected)
        }
    }

    @Test("operations on the server need the administrator scope")
    func serverOperations() {
        for operation in OperationDefinition.all {
            if case .server = operation.requirement { #expect(operation.scope == .administer) }
        }
    }
}
