// How kernels are shared among a team's threads; used inside this target.
#ifndef STOA_TEAM_H
#define STOA_TEAM_H

#include "include/PhiKernels.h"

/// One part of a piece of work, 0 <= part < part_count.
typedef void (*phi_work)(const void *context, size_t part, size_t part_count);

/// Calls `work` once for each thread of the team, at the same time, part 0 on the calling thread;
/// returns when all have returned. One caller at a time.
void phi_team_run(phi_team *team, phi_work work, const void *context);

#endif
