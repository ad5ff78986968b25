#ifndef WORKER_OPEN_SITES_H
#define WORKER_OPEN_SITES_H
/*
 * Open descriptors by the code that opened them.
 */
#include "worker/investigate/files/seen_calls.h"
#include "worker/trace/dump/open_list.h"

#define OPEN_NUMBERS_MAX 300

struct open_site {
	json_t *opened; /* in words */
	bool otherwise; /* copied, received or taken, as the words say */
	json_t *kinds;	/* the different ones */
	json_t *first;	/* borrowed: the moment of the first call; NULL: not in the recording */
	long long event;
	size_t count, further;		/* further: kinds that are not in the list */
	char numbers[OPEN_NUMBERS_MAX]; /* "3, 5-7" */
	size_t length;
	int begun, last; /* the run of numbers that is not written yet */
	bool full;
};

struct open_sites { /* starts as zeros */
	struct open_site *list;
	size_t count;
	size_t grouped; /* descriptors in all of them */
};

/* Those of a process, the largest site first; `since`: only those that were not open before. What
 * was not seen is in no site. */
void open_sites_group(struct open_sites *sites, const struct open_list *open, bool since,
    const struct seen_calls *seen, long long pid);

/* {opened, count, descriptors, what?, first?} */
json_t *open_site_json(const struct open_site *site);

void open_sites_free(struct open_sites *sites);

#endif
