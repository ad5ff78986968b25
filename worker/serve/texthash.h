#ifndef WORKER_TEXTHASH_H
#define WORKER_TEXTHASH_H
/*
 * Hashes of texts, which may be long (FNV-1a).
 */

#define TEXTHASH_EMPTY 14695981039346656037ULL

/* Of what `hash` is the hash of, and a text behind it; NULL is an empty one. */
static inline unsigned long long texthash_add(unsigned long long hash, const char *text)
{
	for (; text && *text; text++)
		hash = (hash ^ (unsigned char)*text) * 1099511628211ULL;
	return hash;
}

#endif
