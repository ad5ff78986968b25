/*
 * Builds regions. Pure: the code comes through a reader. It must never let an instruction have two
 * counts, and never leave a path without a stop.
 */
#include "worker/softpmu/base/region.h"

#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/address.h"

struct node {
	uint64_t address;
	uint8_t count;
	bool expanded;
	bool closed; /* expansion was tried and is not possible */
	struct ending ending;
};

struct build {
	const struct region_key *key;
	bool writable;
	code_reader reader;
	void *context;
	unsigned nodes, spans;
	struct node node[REGION_NODES];
	struct region_span span[REGION_SPANS];
};

static bool stops_by_itself(const struct build *build, const struct node *node)
{
	return node->ending.kind == END_TRAP ||
	       (node->ending.kind == END_SYSCALL && build->key->syscall_stops);
}

static unsigned stops_needed(const struct build *build)
{
	unsigned stops = 0;

	for (unsigned i = 0; i < build->nodes; i++)
		stops += !build->node[i].expanded && !stops_by_itself(build, &build->node[i]);
	return stops;
}

/* Adds a span unless it exists; false if part of it exists with another count. */
static bool add_span(struct build *build, const struct segment *segment, uint8_t count, bool unread)
{
	for (unsigned i = 0; i < build->spans; i++) {
		const struct region_span *span = &build->span[i];

		if (segment->end <= span->start || segment->start >= span->end)
			continue;
		if (span->count != count)
			return false;
		if (segment->start >= span->start && segment->end <= span->end)
			return true;
	}
	if (build->spans == REGION_SPANS)
		return false;
	build->span[build->spans++] =
	    (struct region_span){segment->start, segment->end, count, unread};
	return true;
}

static bool add_node(struct build *build, const struct block *block, uint8_t count)
{
	for (unsigned i = 0; i < build->nodes; i++) {
		if (build->node[i].address == block->end)
			return build->node[i].count == count;
	}
	if (build->nodes == REGION_NODES || !address_is_users(block->end)) /* as debug registers */
		return false;
	build->node[build->nodes++] =
	    (struct node){.address = block->end, .count = count, .ending = block->ending};
	return true;
}

/* Adds the block at start, entered after count branches. */
static bool add_block(struct build *build, uint64_t start, uint8_t count)
{
	struct block block;

	decode_block(build->reader, build->context, start, build->writable, &block);
	for (unsigned i = 0; i < block.segments; i++) {
		bool last = i + 1 == block.segments;

		/* An ending that could not be read has a segment of its own, or ends one. */
		if (last && block.ending.length == 0 && block.segment[i].start < block.end) {
			struct segment code = {block.segment[i].start, block.end};

			if (!add_span(build, &code, count, false))
				return false;
			code = (struct segment){block.end, block.end + 1};
			if (!add_span(build, &code, count, true))
				return false;
		} else if (!add_span(
			       build, &block.segment[i], count, last && block.ending.length == 0)) {
			return false;
		}
	}
	return add_node(build, &block, count);
}

/* Puts both successors of a conditional branch in its place, or leaves all as it was. */
static bool expand(struct build *build, struct node *node)
{
	unsigned nodes = build->nodes, spans = build->spans;
	uint64_t after = node->address + node->ending.length;

	node->expanded = true;
	if (add_block(build, after, (uint8_t)(node->count + 1)) &&
	    add_block(build, node->ending.target, (uint8_t)(node->count + 1)) &&
	    stops_needed(build) <= build->key->stops)
		return true;
	node->expanded = false;
	node->closed = true;
	build->nodes = nodes;
	build->spans = spans;
	return false;
}

/* The nearest branch first: the tree stays balanced, and paths that meet again meet early. */
static struct node *next_to_expand(struct build *build)
{
	struct node *best = NULL;

	for (unsigned i = 0; i < build->nodes; i++) {
		struct node *node = &build->node[i];

		if (node->expanded || node->closed || node->ending.kind != END_CONDITIONAL)
			continue;
		if (!best || node->count < best->count)
			best = node;
	}
	return best;
}

/* Copies the code, so that a later run can check that it is still the same. */
static bool copy_code(const struct build *build, struct region *region)
{
	region->length = 0;
	for (unsigned i = 0; i < region->spans; i++) {
		const struct region_span *span = &region->span[i];
		size_t length = (size_t)(span->end - span->start);

		if (span->unread)
			continue;
		if (region->length + length > REGION_BYTES ||
		    build->reader(build->context, span->start, region->code + region->length,
			length) != length)
			return false;
		region->length = (uint16_t)(region->length + length);
	}
	return true;
}

static size_t code_length(const struct build *build)
{
	size_t length = 0;

	for (unsigned i = 0; i < build->spans; i++) {
		if (!build->span[i].unread)
			length += (size_t)(build->span[i].end - build->span[i].start);
	}
	return length;
}

static struct region *finish(const struct build *build, bool runnable)
{
	size_t spans = build->spans * sizeof(struct region_span);
	struct region *region = calloc(1, sizeof *region + spans + code_length(build));

	if (!region)
		return NULL;
	region->key = *build->key;
	region->spans = build->spans;
	memcpy(region->span, build->span, spans);
	region->code = (uint8_t *)region->span + spans;
	region->runnable = runnable && copy_code(build, region);
	region->leads = build->nodes > 0 && build->node[0].address == build->key->root &&
			build->node[0].ending.kind != END_CUT;
	if (build->nodes > 0)
		region->ending = build->node[0].ending;
	for (unsigned i = 0; i < build->nodes; i++) {
		const struct node *node = &build->node[i];

		if (node->expanded)
			continue;
		if (node->count > region->max_count)
			region->max_count = node->count;
		if (!stops_by_itself(build, node) && region->stops < REGION_STOPS)
			region->stop[region->stops++] = node->address;
	}
	return region;
}

struct region *region_build(
    const struct region_key *key, bool writable, code_reader reader, void *context)
{
	struct build build = {
	    .key = key, .writable = writable, .reader = reader, .context = context};
	struct node *node;
	bool runnable = add_block(&build, key->root, 0);
	bool leads = build.nodes > 0 && build.node[0].address == key->root;

	while (runnable && !leads && key->lookahead && (node = next_to_expand(&build)))
		expand(&build, node);
	return finish(&build, runnable);
}

int region_count_at(const struct region *region, uint64_t rip)
{
	for (unsigned i = 0; i < region->spans; i++) {
		if (rip >= region->span[i].start && rip < region->span[i].end)
			return region->span[i].count;
	}
	return -1;
}
