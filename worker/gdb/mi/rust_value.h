#ifndef WORKER_RUST_VALUE_H
#define WORKER_RUST_VALUE_H
/*
 * Values of Rust as people write them. Pure.
 */

/* "Some(5)" for "core::option::Option<i32>::Some(5)", and the same of results; owned by the caller.
 * NULL: there is nothing to shorten. */
char *rust_value(const char *value);

#endif
