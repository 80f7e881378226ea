// The OpenSSL 3 headers that Stoa uses, and inline functions for macros that Swift does not import.

#ifndef STOA_COPENSSL_H
#define STOA_COPENSSL_H

#include <openssl/bio.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// Requires TLS 1.2 or later.
static inline int copenssl_require_tls_1_2(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

/// Disables renegotiation and compression, reads as much ciphertext at once as there is, releases
/// the buffers of idle connections, and allows SSL_write to write part of its bytes and to be
/// retried with a buffer at another address.
static inline void copenssl_set_options(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                  SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

static inline int copenssl_make_bio(BIO *bio) {
    BIO_set_init(bio, 1);
    return 1;
}

static inline long copenssl_control_bio(BIO *bio, int command, long number, void *pointer) {
    return command == BIO_CTRL_FLUSH;
}

/// The method of BIOs that read and write by these functions; NULL if memory is exhausted.
static inline BIO_METHOD *copenssl_make_bio_method(int (*read)(BIO *, char *, int),
                                                   int (*write)(BIO *, const char *, int)) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "stoa");
    if (method == NULL) return NULL;
    BIO_meth_set_create(method, copenssl_make_bio);
    BIO_meth_set_ctrl(method, copenssl_control_bio);
    BIO_meth_set_read(method, read);
    BIO_meth_set_write(method, write);
    return method;
}

/// Says whether a BIO has nothing to read now and will have something later.
static inline void copenssl_set_read_later(BIO *bio, int later) {
    BIO_clear_retry_flags(bio);
    if (later) BIO_set_retry_read(bio);
}

/// Sets the server name that a client sends (SNI, RFC 6066, section 3).
static inline int copenssl_set_server_name(SSL *connection, const char *name) {
    return (int)SSL_set_tlsext_host_name(connection, name);
}

/// Turns off the server's session cache: session state is only in tickets.
static inline void copenssl_keep_no_sessions(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

/// Sets the ciphers and keys that encrypt (`seals` = 1) or decrypt a session ticket: AES-256-CBC
/// and HMAC-SHA-256 (RFC 5077, section 4), with keys of 32 bytes each.
static inline int copenssl_set_ticket_key(EVP_CIPHER_CTX *cipher, EVP_MAC_CTX *mac,
                                          const unsigned char *cipher_key,
                                          const unsigned char *mac_key, const unsigned char *iv,
                                          int seals) {
    OSSL_PARAM parameters[3];
    parameters[0] =
        OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, (unsigned char *)mac_key, 32);
    parameters[1] = OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, (char *)"SHA256", 0);
    parameters[2] = OSSL_PARAM_construct_end();
    return EVP_MAC_CTX_set_params(mac, parameters) == 1 &&
           EVP_CipherInit_ex(cipher, EVP_aes_256_cbc(), NULL, cipher_key, iv, seals) == 1;
}

static inline int copenssl_select_http_1_1(SSL *connection, const unsigned char **selected,
                                           unsigned char *selected_length,
                                           const unsigned char *offered,
                                           unsigned int offered_length, void *unused) {
    static const unsigned char known[] = {8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
    int result = SSL_select_next_proto((unsigned char **)selected, selected_length, known,
                                       sizeof known, offered, offered_length);
    return result == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

/// Selects http/1.1 for clients that offer protocols (ALPN, RFC 7301), and refuses clients that
/// offer only others.
static inline void copenssl_select_protocol(SSL_CTX *context) {
    SSL_CTX_set_alpn_select_cb(context, copenssl_select_http_1_1, NULL);
}

static inline int copenssl_choose_certificate(SSL *connection, int *alert, void *contexts) {
    const char *name = SSL_get_servername(connection, TLSEXT_NAMETYPE_host_name);
    for (SSL_CTX **next = (SSL_CTX **)contexts; name != NULL && *next != NULL; next++) {
        if (X509_check_host(SSL_CTX_get0_certificate(*next), name, 0, 0, NULL) == 1) {
            SSL_set_SSL_CTX(connection, *next);
            break;
        }
    }
    return SSL_TLSEXT_ERR_OK;
}

/// Selects the certificate by the client's server name (SNI, RFC 6066, section 3): the first one in
/// `contexts`, which ends with NULL, that is valid for the name, or else the context's own.
/// `contexts` must outlive the context.
static inline void copenssl_choose_by_name(SSL_CTX *context, SSL_CTX **contexts) {
    SSL_CTX_set_tlsext_servername_callback(context, copenssl_choose_certificate);
    SSL_CTX_set_tlsext_servername_arg(context, contexts);
}

/// Generates a key on the curve P-256, which every browser supports.
static inline EVP_PKEY *copenssl_make_key(void) { return EVP_EC_gen("P-256"); }

#endif
