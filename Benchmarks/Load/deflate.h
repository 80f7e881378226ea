/* Part of wsload.c: permessage-deflate (RFC 7692) without context takeover. */

/* JSON with English text, as chat messages are: 1 KiB becomes about half of that. */
static void fill_json(uint8_t *p, size_t n) {
    static const char *words[] = {"the ", "stoa ", "of ", "Athens ", "was ", "a ", "covered ", "walk ", "where ",
        "people ", "met ", "and ", "talked, ", "open ", "to ", "everybody. ", "Philosophers ", "taught ",
        "there, ", "merchants ", "sold ", "their ", "goods, ", "artists ", "showed ", "work, ", "{\"id\":\"01a2",
        "\",\"text\":\"", "\"},"};
    uint32_t state = 7;
    for (size_t i = 0; i < n;) {
        state = state * 1664525 + 1013904223;
        const char *w = words[(state >> 16) % (sizeof words / sizeof *words)];
        while (*w && i < n) p[i++] = (uint8_t)*w++;
    }
}

/* a masked frame with RSV1: the deflated payload without its last four bytes */
static size_t mkdeflated(uint8_t *o, int op, const uint8_t *p, size_t n) {
    z_stream z = {0};
    uint8_t *b = xmalloc(n + 64);
    if (deflateInit2(&z, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK) die("out of memory");
    z.next_in = (uint8_t *)p;
    z.avail_in = (uInt)n;
    z.next_out = b;
    z.avail_out = (uInt)(n + 64);
    deflate(&z, Z_SYNC_FLUSH);
    if (!z.avail_out || z.total_out < 4) die("this payload cannot be compressed");
    size_t l = mkframe(o, 0x40 | op, b, z.total_out - 4);
    deflateEnd(&z);
    free(b);
    return l;
}

/* whether a compressed reply is the payload */
static int inflates_to(const uint8_t *p, size_t n, const uint8_t *want, size_t want_n) {
    static z_stream z;
    static uint8_t *b;
    static int ready;
    if (!ready) {
        if (inflateInit2(&z, -15) != Z_OK) die("out of memory");
        b = xmalloc(want_n + 1);
        ready = 1;
    }
    inflateReset(&z);
    z.next_out = b;
    z.avail_out = (uInt)(want_n + 1);
    z.next_in = (uint8_t *)p;
    z.avail_in = (uInt)n;
    int r = inflate(&z, Z_NO_FLUSH);
    return (r == Z_OK || r == Z_STREAM_END) && !z.avail_in && z.total_out == want_n && !memcmp(b, want, want_n);
}
