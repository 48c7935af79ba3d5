// How many threads libtorch uses for what an OS thread asks of it.
#pragma once

namespace alamos {

void set_openmp_threads(int n);
void set_openblas_threads(int n);

}  // namespace alamos
