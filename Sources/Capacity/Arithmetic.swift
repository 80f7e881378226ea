// The functions of the C library that the model needs.

import Glibc

func power(_ base: Double, _ exponent: Double) -> Double { pow(base, exponent) }

func logarithm(_ value: Double) -> Double { log(value) }

func exponential(_ value: Double) -> Double { exp(value) }
