// How the C library treats memory that libtorch gives back.
#pragma once

namespace alamos {

void keep_freed_memory();

}  // namespace alamos
