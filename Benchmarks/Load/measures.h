/* Part of wsload.c: time, the histogram of latencies, and what /proc says of the server. */
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

/* server process */
static long proc_kb(const char *key) {
    char p[64];
    if (!o_pid) return -1;
    snprintf(p, sizeof p, "/proc/%d/status", o_pid);
    return file_kb(p, key);
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
