/*
 * Two words where no program has memory. The condition of a breakpoint that counts its passes asks
 * for the byte at the first; gdb reads the sum in the second. See passcount.h of the software PMU,
 * whose library answers for both.
 */
#ifndef WORKER_PASSMARK_H
#define WORKER_PASSMARK_H

#define PASSMARK     0x7ffffffff0c0ull
#define PASSMARK_SUM 0x7ffffffff0c8ull

#endif
