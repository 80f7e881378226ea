import ChatProtocol
import ChatServer
import Testing

@Suite("The router of operations")
struct OperationRouterTests {
    @Test("has exactly one handler for each operation of the protocol")
    func handlers() {
        let names = OperationRouter.shared.names
        #expect(names.sorted() == OperationDefinition.all.map(\.name).sorted())
    }
}
