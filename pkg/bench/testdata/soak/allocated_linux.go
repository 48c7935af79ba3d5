package soak

// #include <malloc.h>
import "C"

// Allocated returns how many bytes of malloc and its mappings are in use: what libtorch and
// other code in C hold. Unlike the resident set it does not depend on which pages of freed
// memory were touched.
func Allocated() int {
	info := C.mallinfo2()
	return int(info.uordblks + info.hblkhd)
}
