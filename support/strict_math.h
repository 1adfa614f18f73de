/* Functions of doubles with the same bits with every C library, compiler and processor.
 *
 * The C library guarantees no bits: glibc changed the results of hypot() in 2.35, of exp(), log(),
 * pow(), sin() and cos() in 2.28, and selects versions with and without fused multiply-add at run
 * time. Code whose results must be strict therefore calls the functions here. They use + - * / and
 * square roots alone, each correctly rounded, and no expression that a compiler might contract
 * (-ffp-contract=off). tests/strict_symbols_test.sh detects a call of another function.
 *
 * Special cases follow C99, Annex F. Largest errors against long doubles over millions of
 * arguments: 0.56 ulp for exp, exp2 and pow, 0.51 for log, log2 and log10, 0.8 for sin and cos, 1.2
 * for atan2, 1.6 for acos, 2.2 for asin. tests/strict_math_test.c has the same limits. For floats,
 * include/heddle/math.h has functions that devices use too. */
#ifndef HED_SUPPORT_STRICT_MATH_H
#define HED_SUPPORT_STRICT_MATH_H

double hed_strict_exp(double x);
double hed_strict_exp2(double x);
double hed_strict_log(double x);
double hed_strict_log2(double x);
double hed_strict_log10(double x);
double hed_strict_pow(double x, double y);

/* Angles are in radians. An angle beyond 2^52 is replaced by its remainder by the double nearest 2
 * pi. */
double hed_strict_sin(double x);
double hed_strict_cos(double x);
double hed_strict_asin(double x);
double hed_strict_acos(double x);
double hed_strict_atan2(double y, double x);

/* Length of (x, y): sqrt(x^2 + y^2). Squares must neither overflow nor underflow. */
double hed_strict_hypot(double x, double y);

#endif
