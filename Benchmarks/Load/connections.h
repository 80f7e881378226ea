/* Part of wsload.c: connections, plain and encrypted, and the frames that are sent on them. */
enum st { S_FREE, S_CONNECT, S_HTTP, S_SKIP, S_READY, S_CLOSING, S_DEAD };

struct conn {
    int fd;
    SSL *tls;
    uint8_t st, is_pub, slow, want_out;
    int skip;
    uint8_t *in;
    uint32_t in_len, in_cap; /* bytes of an unfinished frame or header */
    uint8_t *out;
    uint32_t out_len, out_off, out_cap; /* queued control/login/publish bytes */
    uint64_t pend;
    uint32_t pos; /* echo: bytes still to send of the repeated frame, place in it */
    uint64_t *ts;
    uint32_t th, tt;
    uint64_t t0;
};

static int ep;
static struct conn *cs;
static int ncs;
static uint64_t ready_n, err_n, eof_n, bad_n;
static uint8_t *req, *preq;
static size_t req_len, preq_len;
static uint8_t rbuf[1 << 18];
static uint8_t *frame, *payload, *fbuf;
static size_t flen, plen, fbuf_len; /* echo frame, unmasked payload, copies */
static int measuring;
static uint64_t m_count, m_bytes;
static uint64_t resumed; /* measured connections that resumed a session */
static const char *ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="; /* the answer to the RFC's sample key */

/* TLS: nothing is verified, for the server is ours; NULL where connections are plain */
static SSL_CTX *tls_context;
/* with -R, the sessions that the server has given: with TLS 1.3, OpenSSL resumes each only once */
static SSL_SESSION *tls_sessions[4096];
static size_t tls_sessions_n;

static int keep_session(SSL *tls, SSL_SESSION *session) {
    (void)tls;
    if (tls_sessions_n == sizeof tls_sessions / sizeof *tls_sessions) return 0;
    tls_sessions[tls_sessions_n++] = session;
    return 1;
}

static void begin_tls(struct conn *c) {
    c->tls = SSL_new(tls_context);
    if (!c->tls || SSL_set_fd(c->tls, c->fd) != 1) die("no TLS connection");
    if (tls_sessions_n) {
        SSL_SESSION *session = tls_sessions[--tls_sessions_n];
        SSL_set_session(c->tls, session);
        SSL_SESSION_free(session);
    }
    SSL_set_connect_state(c->tls);
}

/* what a failed or ended SSL call means, in the words of send(2) and recv(2) */
static ssize_t tls_result(struct conn *c, int r) {
    switch (SSL_get_error(c->tls, r)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        errno = EAGAIN;
        return -1;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        errno = ECONNRESET;
        return -1;
    }
}

static ssize_t conn_send(struct conn *c, const void *p, size_t n) {
    if (!c->tls) return send(c->fd, p, n, MSG_NOSIGNAL);
    ERR_clear_error();
    int r = SSL_write(c->tls, p, n > 1 << 30 ? 1 << 30 : (int)n);
    return r > 0 ? r : tls_result(c, r);
}

static ssize_t conn_recv(struct conn *c, void *p, size_t n) {
    if (!c->tls) return recv(c->fd, p, n, 0);
    ERR_clear_error();
    int r = SSL_read(c->tls, p, n > 1 << 30 ? 1 << 30 : (int)n);
    return r > 0 ? r : tls_result(c, r);
}

static size_t mkframe(uint8_t *o, int op, const void *p, size_t n) {
    size_t h = 0;
    o[h++] = (uint8_t)(0x80 | op);
    if (n < 126)
        o[h++] = (uint8_t)(0x80 | n);
    else if (n < 65536) {
        o[h++] = 0x80 | 126;
        o[h++] = (uint8_t)(n >> 8);
        o[h++] = (uint8_t)n;
    } else {
        o[h++] = 0x80 | 127;
        for (int i = 7; i >= 0; i--) o[h++] = (uint8_t)((uint64_t)n >> (8 * i));
    }
    uint32_t m = rng() | 0x01010101u;
    memcpy(o + h, &m, 4);
    const uint8_t *k = o + h;
    h += 4;
    for (size_t i = 0; i < n; i++) o[h + i] = ((const uint8_t *)p)[i] ^ k[i & 3];
    return h + n;
}

static void arm(struct conn *c) {
    int want = (c->pend || c->out_len > c->out_off || c->st == S_CONNECT);
    if (want == c->want_out) return;
    c->want_out = (uint8_t)want;
    struct epoll_event e = {
        .events = (c->slow && c->st == S_READY ? 0 : EPOLLIN) | (want ? EPOLLOUT : 0),
        .data.ptr = c};
    epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
}

static void drop(struct conn *c) {
    if (c->tls) {
        /* OpenSSL refuses to resume the session of a connection that ended without a shutdown */
        SSL_set_shutdown(c->tls, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
        if (measuring && SSL_session_reused(c->tls)) resumed++;
    }
    SSL_free(c->tls);
    c->tls = NULL;
    if (c->fd >= 0) close(c->fd);
    c->fd = -1;
    c->st = S_DEAD;
    free(c->in);
    free(c->out);
    c->in = c->out = NULL;
    c->in_len = c->in_cap = c->out_len = c->out_off = c->out_cap = 0;
    c->pend = 0;
    c->want_out = 0;
}

static int is_broken(struct conn *c) {
    if (c->st == S_READY || c->st == S_SKIP) ready_n--;
    drop(c);
    return -1;
}

static int flush_out(struct conn *c) {
    while (c->out_len > c->out_off) {
        ssize_t r = conn_send(c, c->out + c->out_off, c->out_len - c->out_off);
        if (r < 0) {
            if (errno == EAGAIN) {
                arm(c);
                return 0;
            }
            err_n++;
            return is_broken(c);
        }
        c->out_off += (uint32_t)r;
    }
    if (c->out_off) {
        c->out_len = c->out_off = 0;
    }
    while (c->pend) {
        size_t n = fbuf_len - c->pos;
        if (n > c->pend) n = (size_t)c->pend;
        ssize_t r = conn_send(c, fbuf + c->pos, n);
        if (r < 0) {
            if (errno == EAGAIN) break;
            err_n++;
            return is_broken(c);
        }
        c->pend -= (uint64_t)r;
        c->pos += (uint32_t)r;
        if (c->pos == fbuf_len) c->pos = 0;
        if ((size_t)r < n && !c->tls) break; /* TLS takes a record at a time */
    }
    arm(c);
    return 0;
}

static void queue(struct conn *c, const void *p, size_t n) {
    if (c->out_off && c->out_off == c->out_len) c->out_off = c->out_len = 0;
    if (c->out_len + n > c->out_cap) {
        c->out_cap = (uint32_t)(c->out_len + n + 256);
        c->out = realloc(c->out, c->out_cap);
        if (!c->out) die("out of memory");
    }
    memcpy(c->out + c->out_len, p, n);
    c->out_len += (uint32_t)n;
}

static int send_op(struct conn *c, int op, const void *p, size_t n) {
    uint8_t *b = xmalloc(n + 16);
    size_t l = mkframe(b, op, p, n);
    queue(c, b, l);
    free(b);
    return flush_out(c);
}

static int open_conn(struct conn *c) {
    c->fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) {
        err_n++;
        c->st = S_DEAD;
        return -1;
    }
    int one = 1;
    setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)o_port)};
    if (inet_pton(AF_INET, o_addr, &a.sin_addr) != 1) die("bad address %s", o_addr);
    if (tls_context) begin_tls(c);
    c->th = c->tt = 0;
    c->pend = 0;
    c->pos = 0;
    c->skip = o_skip;
    c->t0 = now_ns();
    int r = connect(c->fd, (void *)&a, sizeof a);
    if (r < 0 && errno != EINPROGRESS) {
        err_n++;
        drop(c);
        return -1;
    }
    c->st = S_HTTP;
    const uint8_t *q = c->is_pub ? preq : req;
    size_t ql = c->is_pub ? preq_len : req_len;
    struct epoll_event e = {.events = EPOLLIN, .data.ptr = c};
    if (r == 0) {
        ssize_t w = conn_send(c, q, ql);
        size_t done = w > 0 ? (size_t)w : 0;
        if (done < ql) queue(c, q + done, ql - done);
    } else {
        queue(c, q, ql);
        c->st = S_CONNECT;
    }
    c->want_out = c->out_len > 0;
    if (c->want_out) e.events |= EPOLLOUT;
    if (epoll_ctl(ep, EPOLL_CTL_ADD, c->fd, &e) < 0) die("epoll_ctl: %s", strerror(errno));
    return 0;
}
