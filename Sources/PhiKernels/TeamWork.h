// How kernels are shared among a team's threads; used inside this target.
#ifndef STOA_TEAM_WORK_H
#define STOA_TEAM_WORK_H

#include "include/PhiKernels.h"

/// Shares `work` among the team, or does it here where `operation_count` is too small to be worth
/// it.
void phi_team_share_large(
    phi_team *team, phi_work work, void *context, size_t part_count, size_t operation_count);

#endif
