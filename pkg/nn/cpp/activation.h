// The activation functions, by the numbers that Go and C++ know them by.
#ifndef ALAMOS_ACTIVATION_H
#define ALAMOS_ACTIVATION_H

enum alamos_activation {
  ALAMOS_IDENTITY = 0,
  ALAMOS_RELU = 1,
  ALAMOS_MISH = 2,  // x tanh(log(1 + e^x)), Misra 2019
};

#endif
