/*
 * See timeline.h. At the top, a line shows the whole recording, to scale in events. Below it, each
 * thread has a lane. Claims are often close together, so each claim has its own column, and a line
 * connects the column with the claim's true position.
 */
#include "worker/investigate/report/timeline.h"

#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/tools.h"
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/report/claims.h"
#include "worker/investigate/search/page.h"

#define WIDTH	   880
#define LEFT	   190 /* of the lanes, after the names of the threads */
#define RIGHT	   860
#define TIME_Y	   40 /* of the line that is the recording */
#define FAN_Y	   92 /* where the columns begin */
#define LANE_Y	   128
#define LANE_STEP  42
#define COLUMN_MAX 90 /* greatest width of a column */
#define LABELS_MAX 9  /* with more columns, there is no room for the moments */
#define DOT_MAX	   11

struct point {
	const json_t *stood;
	size_t number; /* of the claim, from 1 */
	long long event, ticks;
	int tid;
	const char *style;
};

struct timeline {
	FILE *page;
	struct point points[CLAIMS_MAX];
	size_t count;
	int tids[CLAIMS_MAX];
	const char *names[CLAIMS_MAX]; /* of the threads */
	size_t tid_count;
	long long last;
};

const char *timeline_class(const json_t *claim)
{
	return claims_has_held(claim)			       ? "held"
	       : strcmp(mi_text(claim, "verdict"), "not held") ? "open"
							       : "not";
}

static int compare(const void *left, const void *right)
{
	const struct point *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static void add_thread(struct timeline *line, int tid, const char *name)
{
	for (size_t i = 0; i < line->tid_count; i++)
		if (line->tids[i] == tid)
			return;
	line->names[line->tid_count] = name;
	line->tids[line->tid_count++] = tid;
}

static void collect(struct timeline *line, const json_t *claims)
{
	const json_t *claim;
	size_t i;

	json_array_foreach((json_t *)claims, i, claim)
	{
		const json_t *stood = json_object_get(claim, "stood");
		if (!stood || line->count == CLAIMS_MAX)
			continue;
		line->points[line->count++] = (struct point){
		    .stood = stood,
		    .number = i + 1,
		    .event = json_integer_value(json_object_get(stood, "event")),
		    .ticks = json_integer_value(json_object_get(stood, "ticks")),
		    .tid = (int)json_integer_value(json_object_get(claim, "tid")),
		    .style = timeline_class(claim),
		};
	}
	qsort(line->points, line->count, sizeof(*line->points), compare);
	for (i = 0; i < line->count; i++) {
		add_thread(line, line->points[i].tid, mi_text(line->points[i].stood, "thread"));
		if (line->points[i].event > line->last)
			line->last = line->points[i].event;
	}
}

static int column_step(const struct timeline *line)
{
	int step = (RIGHT - LEFT) / (int)(line->count ? line->count : 1);

	return step < COLUMN_MAX ? step : COLUMN_MAX;
}

static int column_x(const struct timeline *line, size_t column)
{
	int step = column_step(line);
	int all = step * (int)line->count;

	return LEFT + (RIGHT - LEFT - all) / 2 + step * (int)column + step / 2;
}

static int lane_y(const struct timeline *line, int tid)
{
	size_t lane = 0;

	while (lane < line->tid_count && line->tids[lane] != tid)
		lane++;
	return LANE_Y + LANE_STEP * (int)lane;
}

static void write_lanes(const struct timeline *line)
{
	fprintf(line->page,
	    "<path class=\"time\" d=\"M%d %dH%d\"/>"
	    "<text class=\"soft\" x=\"%d\" y=\"%d\">start</text>"
	    "<text class=\"soft\" x=\"%d\" y=\"%d\" text-anchor=\"end\">event %lld</text>"
	    "<text class=\"soft\" x=\"0\" y=\"%d\">the recording</text>\n",
	    LEFT, TIME_Y, RIGHT, LEFT, TIME_Y - 14, RIGHT, TIME_Y - 14, line->last, TIME_Y + 4);
	for (size_t i = 0; i < line->tid_count; i++) {
		int y = lane_y(line, line->tids[i]);
		fprintf(line->page,
		    "<path class=\"lane\" d=\"M%d %dH%d\"/><text x=\"0\" y=\"%d\">thread %d ", LEFT,
		    y, RIGHT, y + 4, line->tids[i]);
		if (line->names[i])
			page_bytes(line->page, line->names[i], strnlen(line->names[i], 15));
		fputs("</text>\n", line->page);
	}
}

/* Connects the claim's position in the recording with its thread. */
static void write_way(const struct timeline *line, size_t column)
{
	const struct point *point = &line->points[column];
	long long width = RIGHT - LEFT, last = line->last > 0 ? line->last : 1;
	int x = column_x(line, column), from = LEFT + (int)(width * point->event / last);
	bool labelled = line->count <= LABELS_MAX &&
			(column == 0 || line->points[column - 1].event != point->event ||
			    line->points[column - 1].ticks != point->ticks);

	fprintf(line->page, "<path class=\"way\" d=\"M%d %dL%d %dV%d\"/>\n", from, TIME_Y, x, FAN_Y,
	    lane_y(line, point->tid));
	if (labelled)
		fprintf(line->page, "<text class=\"soft\" x=\"%d\" y=\"%d\">%lld:%lld</text>\n",
		    x + 5, FAN_Y + 12, point->event, point->ticks);
}

/* Uses shapes as well as colours, because not everybody can tell the colours apart. */
static void write_dot(const struct timeline *line, size_t column)
{
	const struct point *point = &line->points[column];
	int x = column_x(line, column), y = lane_y(line, point->tid);
	int size = column_step(line) / 2 - 1 < DOT_MAX ? column_step(line) / 2 - 1 : DOT_MAX;

	fprintf(line->page, "<a href=\"#claim-%zu\" class=\"%s\"><title>claim %zu, ", point->number,
	    point->style, point->number);
	page_text(line->page, mi_text(point->stood, "moment"));
	fputs("</title>", line->page);
	if (strcmp(point->style, "not") == 0)
		fprintf(line->page,
		    "<rect class=\"dot\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x - size,
		    y - size, 2 * size, 2 * size);
	else
		fprintf(
		    line->page, "<circle class=\"dot\" cx=\"%d\" cy=\"%d\" r=\"%d\"/>", x, y, size);
	fprintf(line->page, "<text x=\"%d\" y=\"%d\" style=\"font-size:%dpx\">%zu</text></a>\n", x,
	    y + size / 2 - 1, size + 1, point->number);
}

void timeline_write(FILE *page, const json_t *claims, long long last)
{
	struct timeline line = {.page = page, .last = last};

	collect(&line, claims);
	if (line.count == 0)
		return;
	fprintf(page,
	    "<figure><svg viewBox=\"0 0 %d %d\" role=\"group\" aria-label=\"Timeline\">\n", WIDTH,
	    LANE_Y + LANE_STEP * (int)line.tid_count - LANE_STEP / 2 + 4);
	write_lanes(&line);
	for (size_t i = 0; i < line.count; i++)
		write_way(&line, i);
	for (size_t i = 0; i < line.count; i++)
		write_dot(&line, i);
	fputs("</svg><figcaption>Each claim on its thread, in the order of time; the line above is "
	      "the whole recording. A circle: it held. A square: it did not. A dashed circle: it "
	      "could not be checked.</figcaption></figure>\n",
	    page);
}
