"""Python's WebSocket servers as peers of stoa-echo: peer.py websockets|picows PORT.

/echo returns every message, /broadcast sends each to all that are connected to it.
"""

import asyncio
import sys


async def serve_websockets(port):
    from websockets.asyncio.server import broadcast, serve

    members = set()

    async def handle(connection):
        if connection.request.path != "/broadcast":
            async for message in connection:
                await connection.send(message)
            return
        members.add(connection)
        try:
            async for message in connection:
                broadcast(members, message)
        finally:
            members.discard(connection)

    async with serve(
        handle, "127.0.0.1", port, compression=None, max_size=16 << 20, ping_interval=None
    ):
        await asyncio.get_running_loop().create_future()


async def serve_picows(port):
    from picows import WSListener, WSMsgType, ws_create_server

    members = set()

    class Echo(WSListener):
        def on_ws_frame(self, transport, frame):
            if frame.msg_type in (WSMsgType.TEXT, WSMsgType.BINARY):
                transport.send(frame.msg_type, frame.get_payload_as_bytes())
            elif frame.msg_type == WSMsgType.CLOSE:
                transport.send_close(frame.get_close_code(), frame.get_close_message())
                transport.disconnect()

    class Broadcast(Echo):
        def on_ws_connected(self, transport):
            members.add(transport)

        def on_ws_disconnected(self, transport):
            members.discard(transport)

        def on_ws_frame(self, transport, frame):
            if frame.msg_type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                return super().on_ws_frame(transport, frame)
            payload = frame.get_payload_as_bytes()
            for member in members:
                member.send(frame.msg_type, payload)

    def listener(request):
        return Broadcast() if request.path == b"/broadcast" else Echo()

    server = await ws_create_server(listener, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    kinds = {"websockets": serve_websockets, "picows": serve_picows}
    asyncio.run(kinds[sys.argv[1]](int(sys.argv[2])))
