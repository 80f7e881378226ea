#ifndef STOA_CLINUX_H
#define STOA_CLINUX_H
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#endif
