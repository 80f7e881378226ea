// Sharing of kernels among a team's threads; private to this target.
#ifndef STOA_TEAM_WORK_H
#define STOA_TEAM_WORK_H

#include "include/PhiKernels.h"

/// Shares `work` among the team, or runs it on the calling thread if `operation_count` is too small
/// for sharing: multiply-adds with weights of 4 bits, or others that take as long.
void phi_team_share_large(
    phi_team *team, phi_work work, void *context, size_t part_count, size_t operation_count);

#endif
