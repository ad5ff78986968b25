/*
 * Reading a trace's header. rr escapes only what JSON must have escaped, so that a recorded
 * environment with bytes that are no UTF-8 comes raw: the text is made UTF-8 before it is parsed.
 */
#include "worker/trace/trace_info.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <asm/prctl.h>
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#include "sandbox/wire/scrub.h"
#include "worker/serve/sentence.h"

#define TEXT_MAX     (1u << 20)
#define GROWTH	     5 /* a byte becomes \\xHH at most */
#define UUID_BYTES   16
#define LEAF_VENDOR  0u
#define LEAF_FAMILY  1u
#define LEAF_BRAND   0x80000002u
#define BRAND_LEAVES 3
#define TYPE_MASK    0xf0ff0u /* of leaf 1, eax: what rr compares; another stepping will do */
#define VENDOR_SIZE  (3 * sizeof(uint32_t) + 1)
#define BRAND_SIZE   (BRAND_LEAVES * 4 * sizeof(uint32_t) + 1)

/* A processor as CPUID tells it. */
struct processor {
	char vendor[VENDOR_SIZE];
	char brand[BRAND_SIZE];
	uint32_t family; /* leaf 1, eax: family, model, stepping */
};

/* Takes one leaf: eax, ebx, ecx, edx. */
static void note_leaf(struct processor *processor, uint32_t leaf, const uint32_t out[4])
{
	if (leaf == LEAF_VENDOR) {
		memcpy(processor->vendor, &out[1], 4);
		memcpy(processor->vendor + 4, &out[3], 4);
		memcpy(processor->vendor + 8, &out[2], 4);
	} else if (leaf == LEAF_FAMILY) {
		processor->family = out[0];
	} else if (leaf >= LEAF_BRAND && leaf < LEAF_BRAND + BRAND_LEAVES) {
		memcpy(processor->brand + 16 * (leaf - LEAF_BRAND), out, 16);
	}
}

static bool processor_here(struct processor *processor)
{
	*processor = (struct processor){0};
#ifdef __x86_64__
	static const uint32_t leaves[] = {
	    LEAF_VENDOR, LEAF_FAMILY, LEAF_BRAND, LEAF_BRAND + 1, LEAF_BRAND + 2};
	for (size_t i = 0; i < sizeof(leaves) / sizeof(*leaves); i++) {
		uint32_t out[4];
		if (__get_cpuid(leaves[i], &out[0], &out[1], &out[2], &out[3]))
			note_leaf(processor, leaves[i], out);
	}
	return true;
#else
	return false;
#endif
}

/* Rows of [leaf, subleaf, eax, ebx, ecx, edx]. */
static bool processor_of_trace(json_t *records, struct processor *processor)
{
	size_t index;
	json_t *record;

	*processor = (struct processor){0};
	json_array_foreach(records, index, record)
	{
		uint32_t out[4];
		for (size_t i = 0; i < 4; i++)
			out[i] = (uint32_t)json_integer_value(json_array_get(record, i + 2));
		note_leaf(processor, (uint32_t)json_integer_value(json_array_get(record, 0)), out);
	}
	return json_array_size(records) > 0;
}

/* The register states that XSAVE saves here: XCR0. False where this cannot be found out. */
static bool saved_here(uint64_t *xcr0)
{
#ifdef __x86_64__
	uint32_t eax, ebx, ecx, edx;
	if (!__get_cpuid(LEAF_FAMILY, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE))
		return false;
	__asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
	*xcr0 = (uint64_t)edx << 32 | eax;
	return true;
#else
	(void)xcr0;
	return false;
#endif
}

static json_t *trimmed(const char *text)
{
	text += strspn(text, " ");
	size_t length = strlen(text);
	while (length && text[length - 1] == ' ')
		length--;
	return scrub_json(text, length, BRAND_SIZE * 4, NULL);
}

static json_t *processor_to_json(json_t *records, const json_t *xcr0)
{
	uint64_t saved;
	struct processor recorded, here;
	json_t *json;

	if (!processor_of_trace(records, &recorded))
		return json_object();
	json = json_pack(
	    "{s:o,s:o}", "vendor", trimmed(recorded.vendor), "model", trimmed(recorded.brand));
	if (processor_here(&here))
		json_object_set_new(json, "same_as_here",
		    json_boolean((recorded.family & TYPE_MASK) == (here.family & TYPE_MASK) &&
				 strcmp(recorded.vendor, here.vendor) == 0));
	/* The dynamic linker reads XCR0 and saves these states: more of them here lead elsewhere
	 * than in the recording, as fewer do. */
	if (json_is_integer(xcr0) && saved_here(&saved))
		json_object_set_new(
		    json, "xsave_fits", json_boolean((uint64_t)json_integer_value(xcr0) == saved));
	return json;
}

static json_t *uuid_to_json(json_t *bytes)
{
	char text[2 * UUID_BYTES + 1] = "";

	for (size_t i = 0; i < UUID_BYTES; i++)
		snprintf(text + 2 * i, 3, "%02x",
		    (unsigned)json_integer_value(json_array_get(bytes, i)) & 0xff);
	return json_string(text);
}

static json_t *environment_to_json(json_t *environment, size_t *left_out)
{
	json_t *kept = json_array();
	size_t index, size = 0;
	json_t *variable;

	*left_out = 0;
	json_array_foreach(environment, index, variable)
	{
		const char *text = json_string_value(variable);
		json_auto_t *bounded = scrub_json_middle(
		    text ? text : "", text ? strlen(text) : 0, TRACE_INFO_VARIABLE_MAX, NULL);
		size += json_dumpb(bounded, NULL, 0, JSON_COMPACT | JSON_ENCODE_ANY) + 1;
		if (size > TRACE_INFO_BUDGET || index >= TRACE_INFO_ENVIRONMENT_MAX)
			(*left_out)++;
		else
			json_array_append(kept, bounded);
	}
	return kept;
}

/* What scrubbing wrote, \xHH, is no escape of JSON: its backslash is doubled. */
static void escape_escapes(char *to, const char *from)
{
	while (*from) {
		if (*from == '\\' && from[1] == 'x')
			*to++ = '\\';
		else if (*from == '\\' && from[1])
			*to++ = *from++;
		*to++ = *from++;
	}
	*to = '\0';
}

/* What rr did not finish is closed behind its last whole member: members of the outermost object
 * stand two blanks in and end with ",\n". False when there is none. */
static bool close_object(char *text, size_t size)
{
	char *last = NULL;
	size_t end = strlen(text);

	while (end && (text[end - 1] == '\n' || text[end - 1] == ' '))
		end--;
	if (end && text[end - 1] == '}')
		return true;
	if (end && text[end - 1] == ',')
		last = text + end - 1;
	for (char *at = text; !last && (at = strstr(at, ",\n  \"")); at++)
		if (!strstr(at + 1, ",\n  \""))
			last = at;
	if (!last)
		return false;
	return strlcpy(last, "\n}", size - (size_t)(last - text)) == 2;
}

/* Text that JSON can take, to be freed, or NULL. */
static char *complete(const char *text, size_t length)
{
	size_t size = length * GROWTH + 8;
	char *clean = NULL, *completed = NULL;

	if (length <= TEXT_MAX && (clean = malloc(size)) && (completed = malloc(size))) {
		scrub_bytes(clean, size, text, length);
		escape_escapes(completed, clean);
		if (!close_object(completed, size)) {
			free(completed);
			completed = NULL;
		}
	}
	free(clean);
	return completed;
}

json_t *trace_info_parse(const char *text, size_t length)
{
	char *completed = complete(text, length);
	json_auto_t *header = completed ? json_loads(completed, 0, NULL) : NULL;
	json_t *info = NULL, *value;
	size_t left_out;

	if (!json_is_array(json_object_get(header, "uuid")))
		goto out;
	info = json_pack("{s:o,s:o}", "uuid", uuid_to_json(json_object_get(header, "uuid")), "cpu",
	    processor_to_json(
		json_object_get(header, "cpuidRecords"), json_object_get(header, "xcr0")));
	if ((value = json_object_get(header, "ticksSemantics")))
		json_object_set(info, "ticks_semantics", value);
	if ((value = json_object_get(header, "bindToCpu")))
		json_object_set(info, "bound_to_cpu", value);
	if ((value = json_object_get(header, "cpuidFaulting")))
		json_object_set(info, "cpuid_faulting", value);
	if ((value = json_object_get(header, "chaosMode")))
		json_object_set(info, "chaos", value);
	if (json_is_array(value = json_object_get(header, "environ"))) {
		json_object_set_new(info, "environment", environment_to_json(value, &left_out));
		answer_add_count(info, "environment_more", (json_int_t)left_out);
	}
out:
	free(completed);
	return info;
}

bool trace_info_hides_cpuid(void)
{
#ifdef __x86_64__
	/* Switches off what is already off; fails on a processor that cannot do it. */
	return syscall(SYS_arch_prctl, ARCH_SET_CPUID, 1UL) == 0;
#else
	return false;
#endif
}

const char *trace_info_obstacle(const json_t *info, bool hides_cpuid)
{
	const json_t *cpu = json_object_get(info, "cpu");

	if (hides_cpuid)
		return NULL;
	if (json_is_true(json_object_get(info, "cpuid_faulting")))
		return "it was recorded with its CPUID hidden (cpuid_faulting), which this machine "
		       "cannot do";
	if (json_is_false(json_object_get(cpu, "same_as_here")))
		return "it was recorded on another kind of processor, and this machine cannot hide "
		       "its own (cpuid_faulting)";
	return NULL;
}

const char *trace_info_doubt(const json_t *info)
{
	const json_t *cpu = json_object_get(info, "cpu");

	if (json_is_false(json_object_get(cpu, "xsave_fits")))
		return "its programs saw other register states (XCR0) than this machine has, so "
		       "the "
		       "replay will probably fail: replay it on the machine where it was recorded";
	if (json_is_false(json_object_get(cpu, "same_as_here")))
		return "it was recorded on another kind of processor; rr hides this one's CPUID";
	return NULL;
}
