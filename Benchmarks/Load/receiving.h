/* Part of wsload.c: what the server sends, from bytes to frames to what each mode makes of messages. */
static uint64_t pub_sent, pub_done, deliv, *seq_left;
static struct conn *pub;
#define SEQRING (1u << 16)
static uint64_t cycle_ok, cycle_forced, last_progress;
static int live_subs;

static void on_ready(struct conn *c);
static void on_msg(struct conn *c, const uint8_t *p, size_t n, int is_deflated, uint64_t t);
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
        int is_deflated = o_deflate && (f[0] & 0x70) == 0x40;
        if ((f[1] & 128) || ((f[0] & 0x70) && !is_deflated)) {
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
                on_msg(c, f + h, (size_t)l, is_deflated, t);
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

static void on_msg(struct conn *c, const uint8_t *p, size_t n, int is_deflated, uint64_t t) {
    if (mode == ECHO || mode == IDLE) {
        if (!c->ts || c->th == c->tt) {
            bad_n++;
            return;
        }
        if (o_deflate && !is_deflated) bad_n++;
        else if (o_nocmp) {}
        else if (is_deflated) bad_n += !inflates_to(p, n, payload, plen);
        else if (n != plen || memcmp(p, payload, n)) bad_n++;
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
