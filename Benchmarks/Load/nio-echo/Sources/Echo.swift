import NIOCore
import NIOWebSocket

/// The clients of /broadcast, on the one loop.
final class Members {
    var contexts: [ObjectIdentifier: ChannelHandlerContext] = [:]
}

/// One WebSocket after its handshake.
final class Echo: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    /// The receivers of messages; nil: the sender.
    private let members: Members?

    init(to members: Members?) { self.members = members }

    func handlerAdded(context: ChannelHandlerContext) {
        members?.contexts[ObjectIdentifier(self)] = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        members?.contexts[ObjectIdentifier(self)] = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        switch frame.opcode {
        case .text, .binary, .continuation:
            let answer = wrapOutboundOut(
                WebSocketFrame(fin: frame.fin, opcode: frame.opcode, data: frame.unmaskedData)
            )
            guard let members else { return context.write(answer, promise: nil) }
            for member in members.contexts.values { member.write(answer, promise: nil) }
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, data: frame.unmaskedData)
            context.write(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            let close = WebSocketFrame(
                fin: true,
                opcode: .connectionClose,
                data: frame.unmaskedData
            )
            context.writeAndFlush(wrapOutboundOut(close), promise: nil)
            context.close(promise: nil)
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard let members else { return context.flush() }
        for member in members.contexts.values { member.flush() }
    }
}
