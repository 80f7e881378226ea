// An echo server with libwebsockets, for comparison with stoa-echo: /echo returns every message,
// /broadcast sends each to all connected clients. Written as its documentation recommends: one
// write in each writeable callback.
//
//   cc -O2 -o lws_echo lws_echo.c -lwebsockets && ./lws_echo PORT
#include <libwebsockets.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum {
    /// Maximum bytes of a message and of a read: larger messages arrive in parts, which this server
    /// returns.
    RECEIVED_MAX = 32 << 10,
    /// Maximum messages queued for one client; a power of two.
    WAITING_MAX = 64,
};

/// A message, shared by the queues of its receivers.
struct message {
    unsigned references;
    enum lws_write_protocol kind;
    size_t count;
    unsigned char bytes[];  // LWS_PRE bytes of room for the header, then the payload
};

/// One connection.
struct session {
    struct lws *connection;
    struct session *next;
    struct message **waiting;  // a ring
    unsigned first, last;
    int is_broadcast;
};

static struct session *members;
static volatile sig_atomic_t has_ended;

static struct message *make_message(struct lws *connection, const void *bytes, size_t count) {
    struct message *message = malloc(sizeof *message + LWS_PRE + count);
    if (!message) abort();
    message->references = 0;
    message->kind = lws_frame_is_binary(connection) ? LWS_WRITE_BINARY : LWS_WRITE_TEXT;
    message->count = count;
    memcpy(message->bytes + LWS_PRE, bytes, count);
    return message;
}

static void release(struct message *message) {
    if (--message->references == 0) free(message);
}

static int enqueue(struct session *session, struct message *message) {
    if (session->last - session->first == WAITING_MAX) return -1;
    message->references++;
    session->waiting[session->last++ % WAITING_MAX] = message;
    lws_callback_on_writable(session->connection);
    return 0;
}

static int receive(struct session *session, const void *bytes, size_t count) {
    struct message *message = make_message(session->connection, bytes, count);
    message->references = 1;
    int result = 0;
    if (session->is_broadcast) {
        for (struct session *member = members; member; member = member->next) {
            enqueue(member, message);
        }
    } else {
        result = enqueue(session, message);
    }
    release(message);
    return result;
}

static int send_next(struct session *session) {
    if (session->first == session->last) return 0;
    struct message *message = session->waiting[session->first++ % WAITING_MAX];
    int count = lws_write(
        session->connection, message->bytes + LWS_PRE, message->count, message->kind);
    int has_failed = count < (int)message->count;
    release(message);
    if (session->first != session->last) lws_callback_on_writable(session->connection);
    return has_failed ? -1 : 0;
}

static int begin(struct session *session, struct lws *connection) {
    char path[32] = "";
    session->connection = connection;
    session->waiting = calloc(WAITING_MAX, sizeof *session->waiting);
    if (!session->waiting) return -1;
    lws_hdr_copy(connection, path, sizeof path, WSI_TOKEN_GET_URI);
    session->is_broadcast = strcmp(path, "/broadcast") == 0;
    if (session->is_broadcast) {
        session->next = members;
        members = session;
    }
    return 0;
}

static void end(struct session *session) {
    struct session **place = &members;
    while (*place && *place != session) place = &(*place)->next;
    if (*place) *place = session->next;
    while (session->first != session->last) {
        release(session->waiting[session->first++ % WAITING_MAX]);
    }
    free(session->waiting);
}

static int handle(
    struct lws *connection, enum lws_callback_reasons reason, void *user, void *bytes,
    size_t count) {
    struct session *session = user;
    switch (reason) {
    case LWS_CALLBACK_ESTABLISHED: return begin(session, connection);
    case LWS_CALLBACK_RECEIVE: return receive(session, bytes, count);
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_next(session);
    case LWS_CALLBACK_CLOSED: end(session); return 0;
    default: return 0;
    }
}

static void stop(int number) {
    (void)number;
    has_ended = 1;
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    signal(SIGTERM, stop);
    lws_set_log_level(LLL_ERR, NULL);
    const struct lws_protocols protocols[] = {
        {"echo", handle, sizeof(struct session), RECEIVED_MAX, 0, NULL, 0},
        {NULL, NULL, 0, 0, 0, NULL, 0},
    };
    struct lws_context_creation_info information = {
        .port = atoi(arguments[1]),
        .protocols = protocols,
        .gid = -1,
        .uid = -1,
        .pt_serv_buf_size = RECEIVED_MAX,
        .options = LWS_SERVER_OPTION_DISABLE_IPV6,
    };
    struct lws_context *context = lws_create_context(&information);
    if (!context) return 1;
    while (!has_ended && lws_service(context, 0) >= 0) continue;
    lws_context_destroy(context);
    return 0;
}
