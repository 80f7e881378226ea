/* wsload - WebSocket load generator. One thread, epoll, libc and OpenSSL. Linux.
 *
 *   cc -O2 -Wall -Wextra -o wsload wsload.c -lssl -lcrypto -lz
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
 *   -E         encrypted: TLS, whatever the server's certificate     -R  resume sessions
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
 *         -z     permessage-deflate without context takeover; the filler is JSON, and replies must be compressed
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
#include <zlib.h>

/* ---------- options ---------- */
static const char *o_addr = "127.0.0.1", *o_path = "/", *o_pubpath, *o_login, *o_publogin, *o_tpl;
static int o_port = 9001, o_conns = 100, o_k = 1, o_skip = 0, o_window = 1, o_binary, o_nocmp,
           o_fast, o_pid, o_slow, o_tls, o_deflate, o_resume;
static long o_size = -1;
static double o_dur = 5, o_warm = 1, o_rate = -1, o_stall = 20;
static char o_headers[4096];

enum mode { ECHO, FANOUT, IDLE, CHURN } mode;

/* One translation unit in parts; each needs those before it. */
#include "measures.h"
#include "connections.h"
#include "deflate.h"
#include "receiving.h"
#include "runs.h"

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
    while ((ch = getopt(argc, argv, "a:p:u:H:L:n:c:d:w:P:BEt:k:s:T:xr:W:U:l:S:fzR")) != -1)
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
        case 'R':
            o_resume = 1;
            break;
        case 'z':
            o_deflate = 1;
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
    if (o_deflate && mode != ECHO) die("-z is for echo");
    if (o_deflate)
        strcat(o_headers, "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; "
                          "client_no_context_takeover\r\n");
    if (o_size < 0) o_size = mode == FANOUT ? 120 : 64;
    if (mode == FANOUT && !o_tpl && o_size < 100) die("fanout needs -s 100 or more");
    if (mode == ECHO && o_k < 1) die("-k must be 1 or more");
    if (mode == ECHO || mode == IDLE) {
        plen = o_tpl ? strlen(o_tpl) : (size_t)o_size;
        payload = xmalloc(plen + 1);
        for (size_t i = 0; i < plen; i++)
            payload[i] = (uint8_t)(o_tpl ? o_tpl[i] : "abcdefghijklmnopqrstuvwxyz012345"[i % 32]);
        if (o_deflate && !o_tpl) fill_json(payload, plen);
        frame = xmalloc(plen + 64);
        flen = o_deflate ? mkdeflated(frame, o_binary ? 2 : 1, payload, plen)
                         : mkframe(frame, o_binary ? 2 : 1, payload, plen);
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
        if (o_resume) {
            SSL_CTX_set_session_cache_mode(tls_context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
            SSL_CTX_sess_set_new_cb(tls_context, keep_session);
        }
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
