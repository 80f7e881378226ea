// The parts of OpenSSL 3 that Stoa calls, and inline functions for the macros that Swift cannot see.

#ifndef STOA_COPENSSL_H
#define STOA_COPENSSL_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// Refuses everything older than TLS 1.2.
static inline int copenssl_require_tls_1_2(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// No renegotiation and no compression; gives back an idle connection's buffers, and lets SSL_write
/// take a part of its bytes and see them again at another place.
static inline void copenssl_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

/// The name that a client asks the server's certificate for (RFC 6066).
static inline int copenssl_set_server_name(SSL *connection, const char *name) {
    return (int)SSL_set_tlsext_host_name(connection, name);
}

#endif
