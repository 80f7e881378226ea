/* Part of wsload.c: one run of each mode, and its figures as JSON. */
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
            cycle_ok = cycle_forced = resumed = 0;
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
        "\"cycles_per_s\":%.0f,\"forced\":%llu,\"resumed\":%llu",
        ncs, o_fast ? "tcp" : "handshake", el, (unsigned long long)cycle_ok, (double)cycle_ok / el,
        (unsigned long long)cycle_forced, (unsigned long long)resumed);
    lat_json("upgrade");
    cpu_json(el, sc, mc, cycle_ok, sys0);
    return finish(!err_n && !eof_n && !bad_n && cycle_ok && !cycle_forced);
}
