/* wsload - WebSocket load generator. One file, one thread, epoll, libc and OpenSSL. Linux.
 *
 *   cc -O2 -Wall -Wextra -o wsload wsload.c -lssl -lcrypto
 *
 *   wsload echo   -p PORT -u /echo  -c 100 -k 16 -s 64 -d 5        request/response, K in flight per connection
 *   wsload fanout -p PORT -u /bcast -c 1000 -W 1 -d 5              closed loop: W published messages outstanding
 *   wsload fanout -p PORT -u /bcast -c 1000 -r 50 -d 5             open loop: 50 published messages a second
 *   wsload idle   -p PORT -u /echo  -c 10000 -r 5000 -d 3 -P PID   open, hold; server memory per connection
 *   wsload churn  -p PORT -u /echo  -c 64 -d 5                     connect, upgrade, close handshake, again
 *
 * Options (all modes):
 *   -a ADDR    IPv4 address (127.0.0.1)         -p PORT   port                -u PATH   request path (/)
 *   -H 'N: v'  extra request header (repeatable)
 *   -E         encrypted: TLS, whatever the server's certificate
 *   -L TEXT    text message sent right after the upgrade (a login)
 *   -n N       messages the server sends after connect/login that are not part of the test: a connection is
 *              ready only after it has read and dropped N data messages (0)
 *   -c N       connections / subscribers / connections in flight (churn)
 *   -d SECS    measured time (5)                -w SECS   warm-up, not measured (1)
 *   -P PID     server process: its CPU time and RSS are read from /proc
 *   -B         binary frames instead of text
 *   -t SECS    give up when a phase makes no progress for so long (20)
 * echo:   -k K   messages in flight per connection (1)      -s S   payload bytes (64)
 *         -T TPL payload instead of filler (sent as it is)  -x     do not compare replies with what was sent
 * fanout: -s S   payload bytes (120)   -r R   publishes per second (open loop)   -W W   closed-loop window (1)
 *         -U PATH / -l TEXT   path and login message of the publisher, when they differ from the subscribers'
 *         -T TPL  published payload; its %s becomes a 34-byte stamp "~~<16 hex seq><16 hex ns>" which subscribers
 *                 look for anywhere in what they receive (so a server may wrap it in an envelope of its own)
 *         -S N   slow subscribers: the first N subscribers stop reading after they are ready
 * idle:   -r R   connects per second (5000)   -k 1   afterwards exchange one echo of S bytes on each, read RSS again
 * churn:  -f     do not do the closing handshake: close the TCP connection right after the 101
 *
 * One JSON object on stdout; the exit status is 0 when the run was sound (no errors, nothing lost).
 * Latencies are in microseconds. In open-loop fanout they count from the time the message should have been sent.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---------- options ---------- */
static const char *o_addr = "127.0.0.1", *o_path = "/", *o_pubpath, *o_login, *o_publogin, *o_tpl;
static int o_port = 9001, o_conns = 100, o_k = 1, o_skip = 0, o_window = 1, o_binary, o_nocmp,
           o_fast, o_pid, o_slow, o_tls;
static long o_size = -1;
static double o_dur = 5, o_warm = 1, o_rate = -1, o_stall = 20;
static char o_headers[4096];

enum mode { ECHO, FANOUT, IDLE, CHURN } mode;

/* ---------- helpers ---------- */
static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static void die(const char *f, ...) {
    va_list a;
    va_start(a, f);
    fputs("wsload: ", stderr);
    vfprintf(stderr, f, a);
    fputc('\n', stderr);
    va_end(a);
    exit(2);
}

static void *xmalloc(size_t n) {
    void *p = malloc(n ? n : 1);
    if (!p) die("out of memory");
    return p;
}

static uint64_t rng_s = 88172645463325252ull;

static uint32_t rng(void) {
    rng_s ^= rng_s << 13;
    rng_s ^= rng_s >> 7;
    rng_s ^= rng_s << 17;
    return (uint32_t)(rng_s >> 16);
}

/* log-linear histogram: 128 steps per power of two, under 0.8 % error */
#define HSUB 7
static uint64_t hist[64 << HSUB], hist_n, hist_max;
static double hist_sum;

static void hist_add(uint64_t v) {
    int e = v < (1u << HSUB) ? 0 : 63 - __builtin_clzll(v) - HSUB;
    size_t i = ((size_t)e << HSUB) + (size_t)(v >> e);
    hist[i]++;
    hist_n++;
    hist_sum += (double)v;
    if (v > hist_max) hist_max = v;
}

static double hist_q(double q) {
    uint64_t want = (uint64_t)(q * (double)hist_n), seen = 0;
    if (want >= hist_n && hist_n) want = hist_n - 1;
    for (size_t i = 0; i < sizeof hist / sizeof *hist; i++) {
        seen += hist[i];
        if (hist[i] && seen > want) {
            int e = i < (2u << HSUB) ? 0 : (int)(i >> HSUB) - 1;
            uint64_t m = i - ((size_t)e << HSUB);
            double v = ((double)m + (e ? 0.5 : 0)) * (double)(1ull << e);
            return v > (double)hist_max ? (double)hist_max : v;
        }
    }
    return (double)hist_max;
}

static void hist_reset(void) {
    memset(hist, 0, sizeof hist);
    hist_n = hist_max = 0;
    hist_sum = 0;
}

/* server process */
static long proc_kb(const char *key) {
    char p[64], l[256];
    long v = -1;
    if (!o_pid) return -1;
    snprintf(p, sizeof p, "/proc/%d/status", o_pid);
    FILE *f = fopen(p, "r");
    if (!f) return -1;
    size_t n = strlen(key);
    while (fgets(l, sizeof l, f))
        if (!strncmp(l, key, n)) {
            v = atol(l + n);
            break;
        }
    fclose(f);
    return v;
}

static double proc_sys, sys1; /* the kernel's part of what proc_cpu() last returned */

static double proc_cpu(void) {
    char p[64], b[1024];
    if (!o_pid) return 0;
    snprintf(p, sizeof p, "/proc/%d/stat", o_pid);
    FILE *f = fopen(p, "r");
    if (!f) return 0;
    size_t n = fread(b, 1, sizeof b - 1, f);
    fclose(f);
    b[n] = 0;
    char *s = strrchr(b, ')');
    unsigned long u = 0, k = 0;
    if (s) sscanf(s + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &u, &k);
    proc_sys = (double)k / (double)sysconf(_SC_CLK_TCK);
    return (double)(u + k) / (double)sysconf(_SC_CLK_TCK);
}

static double self_cpu(void) {
    struct rusage r;
    getrusage(RUSAGE_SELF, &r);
    return (double)r.ru_utime.tv_sec + (double)r.ru_stime.tv_sec +
           (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

static long file_kb(const char *file, const char *key) {
    char l[256];
    long v = -1;
    FILE *f = fopen(file, "r");
    if (!f) return -1;
    size_t n = strlen(key);
    while (fgets(l, sizeof l, f))
        if (!strncmp(l, key, n)) {
            v = atol(l + n);
            break;
        }
    fclose(f);
    return v;
}

/* ---------- connections ---------- */
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
static const char *ACCEPT = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="; /* the answer to the RFC's sample key */

/* TLS: nothing is verified, for the server is ours; NULL where connections are plain */
static SSL_CTX *tls_context;

static void begin_tls(struct conn *c) {
    c->tls = SSL_new(tls_context);
    if (!c->tls || SSL_set_fd(c->tls, c->fd) != 1) die("no TLS connection");
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

/* ---------- mode state ---------- */
static uint64_t pub_sent, pub_done, deliv, *seq_left;
static struct conn *pub;
#define SEQRING (1u << 16)
static uint64_t cycle_ok, cycle_forced, last_progress;
static int live_subs;

static void on_ready(struct conn *c);
static void on_msg(struct conn *c, const uint8_t *p, size_t n, uint64_t t);
static void on_eof(struct conn *c);

static void become_ready(struct conn *c) {
    c->st = S_READY;
    if (c->slow) {
        struct epoll_event e = {.events = 0, .data.ptr = c};
        epoll_ctl(ep, EPOLL_CTL_MOD, c->fd, &e);
    }
    on_ready(c);
}

static int parse_http(struct conn *c, uint8_t *b, size_t n, size_t *used) {
    uint8_t *e = memmem(b, n, "\r\n\r\n", 4);
    if (!e) {
        if (n > 16384) {
            err_n++;
            return is_broken(c);
        }
        *used = 0;
        return 0;
    }
    *used = (size_t)(e - b) + 4;
    if (n < 12 || memcmp(b, "HTTP/1.1 101", 12) || !memmem(b, *used, ACCEPT, strlen(ACCEPT))) {
        if (!err_n++)
            fprintf(stderr, "wsload: upgrade refused: %.*s\n", (int)(*used > 200 ? 200 : *used), b);
        drop(c);
        return -1;
    }
    ready_n++;
    c->st = S_SKIP;
    const char *lg = c->is_pub ? (o_publogin ? o_publogin : o_login) : o_login;
    if (lg && send_op(c, 1, lg, strlen(lg)) < 0) return -1;
    if (!c->skip) become_ready(c);
    return c->st == S_DEAD ? -1 : 0;
}

/* one read per readiness; whole frames are handled in place, the rest is kept */
static void on_read(struct conn *c) {
    size_t room = sizeof rbuf, off = 0;
    uint8_t *b = rbuf;
    size_t n;
    if (c->in_len) {
        if (c->in_cap < c->in_len + 65536) {
            c->in_cap = c->in_len * 2 + 65536;
            c->in = realloc(c->in, c->in_cap);
            if (!c->in) die("out of memory");
        }
        ssize_t r = conn_recv(c, c->in + c->in_len, c->in_cap - c->in_len);
        if (r <= 0) {
            if (r < 0 && errno == EAGAIN) return;
            on_eof(c);
            return;
        }
        c->in_len += (uint32_t)r;
        b = c->in;
        n = c->in_len;
    } else {
        ssize_t r = conn_recv(c, b, room);
        if (r <= 0) {
            if (r < 0 && errno == EAGAIN) return;
            on_eof(c);
            return;
        }
        n = (size_t)r;
    }
    uint64_t t = now_ns();
    if (c->st == S_HTTP) {
        if (parse_http(c, b, n, &off) < 0) return;
        if (c->st == S_HTTP) goto keep;
    }
    while (n - off >= 2) {
        uint8_t *f = b + off;
        size_t h = 2;
        uint64_t l = f[1] & 127;
        int op = f[0] & 15;
        if (l == 126) {
            if (n - off < 4) break;
            l = (uint64_t)f[2] << 8 | f[3];
            h = 4;
        } else if (l == 127) {
            if (n - off < 10) break;
            l = 0;
            for (int i = 0; i < 8; i++) l = l << 8 | f[2 + i];
            h = 10;
        }
        if ((f[1] & 128) || (f[0] & 0x70)) {
            bad_n++;
            is_broken(c);
            return;
        }
        if (n - off < h + l) break;
        off += h + (size_t)l;
        if (op == 9) {
            if (send_op(c, 10, f + h, (size_t)l) < 0) return;
        } else if (op == 8) {
            if (c->st != S_CLOSING) {
                send_op(c, 8, f + h, (size_t)(l > 2 ? 2 : l));
                if (c->st != S_DEAD && (c->st == S_READY || c->st == S_SKIP)) {
                    ready_n--;
                    eof_n++;
                }
                if (c->st != S_DEAD) c->st = S_CLOSING;
            }
        } else if (op <= 2) {
            if (!(f[0] & 128) || op == 0) { /* fragmented replies: count the last frame only */
                if (!(f[0] & 128)) continue;
            }
            if (c->st == S_SKIP) {
                if (--c->skip <= 0) become_ready(c);
            } else if (c->st == S_READY)
                on_msg(c, f + h, (size_t)l, t);
        }
        if (c->st == S_DEAD || c->fd < 0) return;
    }
keep:
    if (b == c->in) {
        memmove(c->in, c->in + off, n - off);
        c->in_len = (uint32_t)(n - off);
        if (!c->in_len) {
            free(c->in);
            c->in = NULL;
            c->in_cap = 0;
        }
    } else if (off < n) {
        c->in_cap = (uint32_t)(n - off) + 1024;
        c->in = xmalloc(c->in_cap);
        c->in_len = (uint32_t)(n - off);
        memcpy(c->in, b + off, n - off);
    }
    if (mode == ECHO && c->pend) flush_out(c);
}

/* ---------- echo ---------- */
static void echo_push(struct conn *c, uint64_t t, int n) {
    for (int i = 0; i < n; i++) {
        c->ts[c->tt++ % (uint32_t)o_k] = t;
        c->pend += flen;
    }
}

/* ---------- fanout ---------- */
static void publish(uint64_t stamp) {
    static char *m;
    static size_t cap;
    const char *t = o_tpl;
    if (!m) {
        cap = (size_t)o_size + 256 + (t ? strlen(t) : 0);
        m = xmalloc(cap);
    }
    char st[40];
    snprintf(
        st, sizeof st, "~~%016llx%016llx", (unsigned long long)pub_sent, (unsigned long long)stamp);
    size_t n;
    if (t) {
        const char *s = strstr(t, "%s");
        if (!s) die("-T needs %%s");
        n = (size_t)snprintf(m, cap, "%.*s%s%s", (int)(s - t), t, st, s + 2);
    } else {
        n = (size_t)snprintf(
            m, cap, "{\"type\":\"token\",\"chat\":\"c0ffee\",\"stamp\":\"%s\",\"text\":\"", st);
        while (n < (size_t)o_size - 2) m[n++] = 'x';
        m[n++] = '"';
        m[n++] = '}';
    }
    if (seq_left[pub_sent % SEQRING]) die("too far behind: %u messages in flight", SEQRING);
    seq_left[pub_sent % SEQRING] = (uint64_t)live_subs;
    pub_sent++;
    uint8_t *b = xmalloc(n + 16);
    size_t l = mkframe(b, o_binary ? 2 : 1, m, n);
    queue(pub, b, l);
    free(b);
}

static uint64_t hex16(const uint8_t *p) {
    uint64_t v = 0;
    for (int i = 0; i < 16; i++) {
        int d = p[i] <= '9' ? p[i] - '0' : (p[i] | 32) - 'a' + 10;
        v = v << 4 | (uint64_t)(d & 15);
    }
    return v;
}

static void on_ready(struct conn *c) {
    last_progress = now_ns();
    if (mode == CHURN) {
        hist_add(last_progress - c->t0); /* connect + upgrade time */
        c->st = S_CLOSING;
        ready_n--;
        if (o_fast) {
            if (measuring) cycle_ok++;
            drop(c);
            return;
        }
        uint8_t code[2] = {0x03, 0xe8};
        send_op(c, 8, code, 2);
    }
}

static void on_msg(struct conn *c, const uint8_t *p, size_t n, uint64_t t) {
    if (mode == ECHO || mode == IDLE) {
        if (!c->ts || c->th == c->tt) {
            bad_n++;
            return;
        }
        if (!o_nocmp && (n != plen || memcmp(p, payload, n))) bad_n++;
        uint64_t s = c->ts[c->th++ % (uint32_t)o_k];
        last_progress = t;
        m_count++;
        m_bytes += n;
        if (measuring) hist_add(t - s);
        if (mode == ECHO) echo_push(c, t, 1);
    } else if (mode == FANOUT) {
        if (c->is_pub) return;
        const uint8_t *s = memmem(p, n, "~~", 2);
        if (!s || (size_t)(p + n - s) < 34) {
            return;
        }
        uint64_t q = hex16(s + 2), ts = hex16(s + 18);
        last_progress = t;
        if (q >= pub_sent || !seq_left[q % SEQRING]) {
            bad_n++;
            return;
        }
        deliv++;
        if (measuring) {
            m_count++;
            m_bytes += n;
            hist_add(t > ts ? t - ts : 0);
        }
        if (--seq_left[q % SEQRING] == 0) pub_done++;
    }
}

static void on_eof(struct conn *c) {
    if (mode == CHURN && c->st == S_CLOSING) {
        if (measuring) cycle_ok++;
        last_progress = now_ns();
        drop(c);
        return;
    }
    if (c->st == S_CLOSING) {
        drop(c);
        return;
    }
    eof_n++;
    is_broken(c);
}

static void poll_once(int ms) {
    static struct epoll_event ev[1024];
    int n = epoll_wait(ep, ev, 1024, ms);
    for (int i = 0; i < n; i++) {
        struct conn *c = ev[i].data.ptr;
        if (c->fd < 0) continue;
        if (c->st == S_CONNECT && (ev[i].events & (EPOLLOUT | EPOLLERR | EPOLLHUP))) {
            int e = 0;
            socklen_t l = sizeof e;
            getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &e, &l);
            if (e) {
                if (!err_n++) fprintf(stderr, "wsload: connect: %s\n", strerror(e));
                drop(c);
                continue;
            }
            c->st = S_HTTP;
            if (flush_out(c) < 0) continue;
        } else if (ev[i].events & EPOLLOUT) {
            if (flush_out(c) < 0) continue;
        }
        if (ev[i].events & (EPOLLIN | EPOLLHUP | EPOLLERR)) {
            if (c->slow && c->st == S_READY) {
                if (ev[i].events & (EPOLLHUP | EPOLLERR)) on_eof(c);
            } else
                on_read(c);
        }
    }
}

static int all_ready(void) {
    for (int i = 0; i < ncs; i++)
        if (cs[i].st != S_READY && cs[i].st != S_DEAD) return 0;
    return 1;
}

/* opens connections at a bounded rate and waits until all are ready */
static double connect_all(double rate) {
    uint64_t t0 = now_ns();
    int opened = 0;
    last_progress = t0;
    while (opened < ncs) {
        double due = rate > 0 ? (double)(now_ns() - t0) / 1e9 * rate + 1 : ncs;
        while (opened < ncs && opened < due && opened - (int)ready_n - (int)err_n < 256)
            open_conn(&cs[opened++]);
        poll_once(1);
        if (now_ns() - last_progress > (uint64_t)(o_stall * 1e9))
            die("stalled while connecting: %d opened, %llu ready, %llu errors", opened,
                (unsigned long long)ready_n, (unsigned long long)err_n);
    }
    while (!all_ready()) {
        poll_once(10);
        if (now_ns() - last_progress > (uint64_t)(o_stall * 1e9))
            die("stalled: %llu of %d ready, %llu errors", (unsigned long long)ready_n, ncs,
                (unsigned long long)err_n);
    }
    return (double)(now_ns() - t0) / 1e9;
}

static void build_req(uint8_t **o, size_t *n, const char *path) {
    char *b = NULL;
    int l = asprintf(
        &b,
        "GET %s HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: "
        "Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: "
        "13\r\n%s\r\n",
        path, o_addr, o_port, o_headers);
    if (l < 0) die("out of memory");
    *o = (uint8_t *)b;
    *n = (size_t)l;
}

static void lat_json(const char *name) {
    printf(
        ",\"%s_us\":{\"p50\":%.1f,\"p90\":%.1f,\"p99\":%.1f,\"p999\":%.1f,\"max\":%.1f,\"mean\":%."
        "1f}",
        name, hist_q(.5) / 1e3, hist_q(.9) / 1e3, hist_q(.99) / 1e3, hist_q(.999) / 1e3,
        (double)hist_max / 1e3, hist_n ? hist_sum / (double)hist_n / 1e3 : 0);
}

static int finish(int ok) {
    printf(",\"tls\":%s", o_tls ? "true" : "false");
    printf(
        ",\"errors\":%llu,\"closed_by_server\":%llu,\"bad_replies\":%llu,\"ok\":%s}\n",
        (unsigned long long)err_n, (unsigned long long)eof_n, (unsigned long long)bad_n,
        ok ? "true" : "false");
    return ok ? 0 : 1;
}

static void cpu_json(double el, double sc, double mc, uint64_t per, double sys0) {
    if (o_pid) {
        printf(",\"server_cpu\":%.3f", sc / el);
        if (per)
            printf(
                ",\"server_us_per_msg\":%.3f,\"server_kernel_us_per_msg\":%.3f",
                sc * 1e6 / (double)per, (sys1 - sys0) * 1e6 / (double)per);
        printf(
            ",\"server_rss_kb\":%ld,\"server_hwm_kb\":%ld", proc_kb("VmRSS:"), proc_kb("VmHWM:"));
    }
    printf(",\"generator_cpu\":%.3f", mc / el);
}

static int run_echo(void) {
    double ct = connect_all(o_rate);
    if (err_n) die("%llu connections failed", (unsigned long long)err_n);
    uint64_t t = now_ns();
    for (int i = 0; i < ncs; i++) {
        cs[i].ts = xmalloc(sizeof(uint64_t) * (size_t)o_k);
        echo_push(&cs[i], t, o_k);
        flush_out(&cs[i]);
    }
    uint64_t end = t + (uint64_t)(o_warm * 1e9);
    while (now_ns() < end) poll_once(10);
    hist_reset();
    m_count = m_bytes = 0;
    measuring = 1;
    double sc = proc_cpu(), sys0 = proc_sys, mc = self_cpu();
    uint64_t a = now_ns();
    end = a + (uint64_t)(o_dur * 1e9);
    while (now_ns() < end) poll_once(10);
    double el = (double)(now_ns() - a) / 1e9;
    measuring = 0;
    sc = proc_cpu() - sc;
    sys1 = proc_sys;
    mc = self_cpu() - mc;
    printf(
        "{\"mode\":\"echo\",\"conns\":%d,\"inflight\":%d,\"bytes\":%zu,\"secs\":%.3f,\"connect_"
        "secs\":%.3f,\"msgs\":%llu,\"msgs_per_s\":%.0f,\"MB_per_s\":%.1f",
        ncs, o_k, plen, el, ct, (unsigned long long)m_count, (double)m_count / el,
        (double)m_bytes / el / 1e6);
    lat_json("latency");
    cpu_json(el, sc, mc, m_count, sys0);
    return finish(!err_n && !eof_n && !bad_n && m_count);
}

static int run_fanout(void) {
    seq_left = calloc(SEQRING, sizeof *seq_left);
    for (int i = 0; i < o_slow && i < ncs; i++) cs[i].slow = 1;
    int subs = ncs;
    ncs = subs;
    double ct = connect_all(5000);
    static struct conn pc;
    memset(&pc, 0, sizeof pc);
    pub = &pc;
    pub->is_pub = 1;
    open_conn(pub);
    last_progress = now_ns();
    while (pub->st != S_READY) {
        poll_once(10);
        if (pub->st == S_DEAD || now_ns() - last_progress > 10000000000ull)
            die("publisher could not connect");
    }
    if (err_n) die("%llu connections failed", (unsigned long long)err_n);
    live_subs = subs - o_slow;
    uint64_t t = now_ns();
    while (now_ns() - t < 200000000ull) poll_once(10); /* let subscriptions settle */
    int open_loop = o_rate > 0;
    double sc = 0, sys0 = 0, mc = 0;
    uint64_t start = now_ns(), a = 0, end = 0;
    uint64_t gap = open_loop ? (uint64_t)(1e9 / o_rate) : 0, next = start;
    last_progress = start;
    uint64_t p0 = 0, stalled = 0;
    uint64_t warm_end = start + (uint64_t)(o_warm * 1e9);
    for (;;) {
        uint64_t n = now_ns();
        if (!measuring && n >= warm_end) {
            measuring = 1;
            hist_reset();
            m_count = m_bytes = 0;
            p0 = pub_sent;
            sc = proc_cpu();
            sys0 = proc_sys;
            mc = self_cpu();
            a = n;
            end = a + (uint64_t)(o_dur * 1e9);
        }
        if (measuring && n >= end) break;
        int q = 0;
        if (open_loop)
            while (next <= n) {
                publish(next);
                next += gap;
                q = 1;
            }
        else
            while (pub_sent - pub_done < (uint64_t)o_window) {
                publish(n);
                q = 1;
            }
        if (q && flush_out(pub) < 0) die("publisher lost");
        int ms = 10;
        if (open_loop) {
            int64_t left = (int64_t)(next - now_ns());
            ms = left > 2000000 ? (int)(left / 1000000) - 1 : 0;
            if (ms > 10) ms = 10;
        }
        poll_once(ms);
        if (eof_n || bad_n) break;
        if (now_ns() - last_progress > (uint64_t)(o_stall * 1e9)) {
            stalled = 1;
            break;
        }
    }
    double el = (double)(now_ns() - a) / 1e9;
    sc = proc_cpu() - sc;
    sys1 = proc_sys;
    mc = self_cpu() - mc;
    uint64_t cnt = m_count, pubd = pub_sent - p0, by = m_bytes;
    measuring = 0;
    uint64_t w = now_ns();
    while (pub_done < pub_sent && now_ns() - w < 3000000000ull && !eof_n) poll_once(10);
    uint64_t lost = 0;
    for (unsigned i = 0; i < SEQRING; i++) lost += seq_left[i];
    printf(
        "{\"mode\":\"fanout\",\"subscribers\":%d,\"slow\":%d,\"loop\":\"%s\",\"window\":%d,"
        "\"rate\":%.1f,\"secs\":%.3f,\"connect_secs\":%.3f,\"published\":%llu,\"deliveries\":%llu,"
        "\"deliveries_per_s\":%.0f,\"MB_per_s\":%.1f,\"undelivered\":%llu,\"stalled\":%llu",
        subs, o_slow, open_loop ? "open" : "closed", open_loop ? 0 : o_window,
        open_loop ? o_rate : 0, el, ct, (unsigned long long)pubd, (unsigned long long)cnt,
        (double)cnt / el, (double)by / el / 1e6, (unsigned long long)lost,
        (unsigned long long)stalled);
    lat_json("delivery");
    cpu_json(el, sc, mc, cnt, sys0);
    return finish(!err_n && !eof_n && !bad_n && !lost && !stalled && cnt);
}

static int run_idle(void) {
    long r0 = proc_kb("VmRSS:"), s0 = file_kb("/proc/meminfo", "Slab:");
    double c0 = proc_cpu();
    double ct = connect_all(o_rate > 0 ? o_rate : 5000);
    double c1 = proc_cpu();
    uint64_t end = now_ns() + (uint64_t)(o_dur * 1e9);
    while (now_ns() < end) poll_once(50);
    long r1 = proc_kb("VmRSS:"), s1 = file_kb("/proc/meminfo", "Slab:"), r2 = -1;
    uint64_t held = ready_n;
    double c2 = proc_cpu();
    if (o_k > 0 && ready_n) {
        uint64_t got = 0;
        m_count = 0;
        last_progress = now_ns();
        for (int i = 0; i < ncs; i++)
            if (cs[i].st == S_READY) {
                cs[i].ts = xmalloc(sizeof(uint64_t) * (size_t)o_k);
                echo_push(&cs[i], now_ns(), 1);
                flush_out(&cs[i]);
                got++;
                poll_once(0);
            }
        while (m_count < got && now_ns() - last_progress < 5000000000ull) poll_once(10);
        if (m_count < got) bad_n++;
        end = now_ns() + 1000000000ull;
        while (now_ns() < end) poll_once(50);
        r2 = proc_kb("VmRSS:");
    }
    printf(
        "{\"mode\":\"idle\",\"conns\":%d,\"held\":%llu,\"connect_secs\":%.3f,\"connects_per_s\":%."
        "0f,\"rss_before_kb\":%ld,\"rss_idle_kb\":%ld,\"rss_after_echo_kb\":%ld,\"idle_bytes_per_"
        "conn\":%.0f,\"after_echo_bytes_per_conn\":%.0f,\"kernel_slab_bytes_per_conn_both_ends\":%."
        "0f,\"server_cpu_connecting_s\":%.2f,\"server_cpu_holding_s\":%.2f",
        ncs, (unsigned long long)held, ct, (double)ncs / ct, r0, r1, r2,
        held ? (double)(r1 - r0) * 1024 / (double)held : 0,
        r2 >= 0 && held ? (double)(r2 - r0) * 1024 / (double)held : -1,
        held ? (double)(s1 - s0) * 1024 / (double)held : 0, c1 - c0, c2 - c1);
    return finish(!err_n && !eof_n && !bad_n && held == (uint64_t)ncs);
}

static int run_churn(void) {
    uint64_t t0 = now_ns(), a = 0, end = 0;
    double sc = 0, sys0 = 0, mc = 0;
    last_progress = t0;
    for (int i = 0; i < ncs; i++) cs[i].st = S_DEAD;
    for (;;) {
        uint64_t n = now_ns();
        if (!measuring && n - t0 > (uint64_t)(o_warm * 1e9)) {
            measuring = 1;
            hist_reset();
            cycle_ok = cycle_forced = 0;
            sc = proc_cpu();
            sys0 = proc_sys;
            mc = self_cpu();
            a = n;
            end = a + (uint64_t)(o_dur * 1e9);
        }
        if (measuring && n >= end) break;
        for (int i = 0; i < ncs; i++) {
            if (cs[i].st == S_DEAD)
                open_conn(&cs[i]);
            else if (cs[i].st == S_CLOSING && n - cs[i].t0 > 3000000000ull) {
                cycle_forced++;
                drop(&cs[i]);
            }
        }
        poll_once(1);
        if (err_n > 1000) break;
    }
    double el = (double)(now_ns() - a) / 1e9;
    sc = proc_cpu() - sc;
    sys1 = proc_sys;
    mc = self_cpu() - mc;
    printf(
        "{\"mode\":\"churn\",\"parallel\":%d,\"close\":\"%s\",\"secs\":%.3f,\"cycles\":%llu,"
        "\"cycles_per_s\":%.0f,\"forced\":%llu",
        ncs, o_fast ? "tcp" : "handshake", el, (unsigned long long)cycle_ok, (double)cycle_ok / el,
        (unsigned long long)cycle_forced);
    lat_json("upgrade");
    cpu_json(el, sc, mc, cycle_ok, sys0);
    return finish(!err_n && !eof_n && !bad_n && cycle_ok && !cycle_forced);
}

int main(int argc, char **argv) {
    if (argc < 2) die("usage: wsload echo|fanout|idle|churn [options]; see the head of wsload.c");
    if (!strcmp(argv[1], "echo"))
        mode = ECHO;
    else if (!strcmp(argv[1], "fanout"))
        mode = FANOUT;
    else if (!strcmp(argv[1], "idle"))
        mode = IDLE;
    else if (!strcmp(argv[1], "churn"))
        mode = CHURN;
    else
        die("unknown mode %s", argv[1]);
    int ch;
    optind = 2;
    if (mode == IDLE) o_k = 0;
    while ((ch = getopt(argc, argv, "a:p:u:H:L:n:c:d:w:P:BEt:k:s:T:xr:W:U:l:S:f")) != -1)
        switch (ch) {
        case 'a':
            o_addr = optarg;
            break;
        case 'p':
            o_port = atoi(optarg);
            break;
        case 'u':
            o_path = optarg;
            break;
        case 'H':
            if (strlen(o_headers) + strlen(optarg) + 3 > sizeof o_headers) die("headers too long");
            strcat(strcat(o_headers, optarg), "\r\n");
            break;
        case 'L':
            o_login = optarg;
            break;
        case 'n':
            o_skip = atoi(optarg);
            break;
        case 'c':
            o_conns = atoi(optarg);
            break;
        case 'd':
            o_dur = atof(optarg);
            break;
        case 'w':
            o_warm = atof(optarg);
            break;
        case 'P':
            o_pid = atoi(optarg);
            break;
        case 'B':
            o_binary = 1;
            break;
        case 't':
            o_stall = atof(optarg);
            break;
        case 'k':
            o_k = atoi(optarg);
            break;
        case 's':
            o_size = atol(optarg);
            break;
        case 'T':
            o_tpl = optarg;
            break;
        case 'x':
            o_nocmp = 1;
            break;
        case 'r':
            o_rate = atof(optarg);
            break;
        case 'W':
            o_window = atoi(optarg);
            break;
        case 'U':
            o_pubpath = optarg;
            break;
        case 'l':
            o_publogin = optarg;
            break;
        case 'S':
            o_slow = atoi(optarg);
            break;
        case 'f':
            o_fast = 1;
            break;
        case 'E':
            o_tls = 1;
            break;
        default:
            die("unknown option; see the head of wsload.c");
        }
    signal(SIGPIPE, SIG_IGN);
    setvbuf(stdout, NULL, _IOFBF, 65536);
    struct rlimit rl;
    getrlimit(RLIMIT_NOFILE, &rl);
    rl.rlim_cur = rl.rlim_max;
    setrlimit(RLIMIT_NOFILE, &rl);
    if ((rlim_t)o_conns + 16 > rl.rlim_cur)
        die("%d connections need more file descriptors than the limit of %llu", o_conns,
            (unsigned long long)rl.rlim_cur);
    rng_s ^= now_ns();
    if (o_size < 0) o_size = mode == FANOUT ? 120 : 64;
    if (mode == FANOUT && !o_tpl && o_size < 100) die("fanout needs -s 100 or more");
    if (mode == ECHO && o_k < 1) die("-k must be 1 or more");
    if (mode == ECHO || mode == IDLE) {
        plen = o_tpl ? strlen(o_tpl) : (size_t)o_size;
        payload = xmalloc(plen + 1);
        for (size_t i = 0; i < plen; i++)
            payload[i] = (uint8_t)(o_tpl ? o_tpl[i] : "abcdefghijklmnopqrstuvwxyz012345"[i % 32]);
        frame = xmalloc(plen + 16);
        flen = mkframe(frame, o_binary ? 2 : 1, payload, plen);
        size_t copies = (size_t)(o_k > 0 ? o_k : 1);
        if (copies * flen > (1u << 20)) {
            copies = (1u << 20) / flen;
            if (!copies) copies = 1;
        }
        fbuf_len = copies * flen;
        fbuf = xmalloc(fbuf_len);
        for (size_t i = 0; i < copies; i++) memcpy(fbuf + i * flen, frame, flen);
        if (mode == IDLE && o_k > 1) o_k = 1;
    }
    if (o_tls) {
        tls_context = SSL_CTX_new(TLS_client_method());
        if (!tls_context) die("no TLS");
        SSL_CTX_set_mode(
            tls_context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    }
    build_req(&req, &req_len, o_path);
    build_req(&preq, &preq_len, o_pubpath ? o_pubpath : o_path);
    ep = epoll_create1(EPOLL_CLOEXEC);
    ncs = o_conns;
    cs = calloc((size_t)ncs, sizeof *cs);
    if (ep < 0 || !cs) die("cannot start");
    for (int i = 0; i < ncs; i++) cs[i].fd = -1;
    switch (mode) {
    case ECHO:
        return run_echo();
    case FANOUT:
        return run_fanout();
    case IDLE:
        return run_idle();
    default:
        return run_churn();
    }
}
