#include "PhiKernels.h"
