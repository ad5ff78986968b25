/*
 * See timeline.h. At the top, a line shows the whole recording, to scale in events. Below it, each
 * thread has a lane. Claims are often close together, so each claim has its own column, and a line
 * connects the column with the claim's true position. Below the lanes stands where the program was,
 * once for claims at the same moment.
 */
#include "worker/investigate/report/timeline.h"

#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/tools.h"
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/report/claims.h"
#include "worker/investigate/search/page.h"

#define WIDTH	   880 /* with more claims than fit, the picture is wider */
#define LEFT	   190 /* of the lanes, after the names of the threads */
#define MARGIN	   20  /* of the lanes, at the right */
#define TIME_Y	   40  /* of the line that is the recording */
#define FAN_Y	   92  /* where the columns begin */
#define LANE_Y	   128
#define LANE_STEP  42
#define COLUMN_MAX 90 /* greatest width of a column */
#define COLUMN_MIN 22 /* least width in which a number can be read */
#define DOT_MAX	   11
#define PLACE_MAX  28 /* bytes shown of "function:line", which stands slanted below the lanes */
#define PLACE_ROOM 17 /* between two slanted lines of text */
#define PLACE_TILT 50 /* degrees */

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
	int right; /* end of the lanes */
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

/* Makes the picture wide enough for the columns. */
static void stretch(struct timeline *line)
{
	int least = LEFT + COLUMN_MIN * (int)line->count;

	line->right = least > WIDTH - MARGIN ? least : WIDTH - MARGIN;
}

static int column_step(const struct timeline *line)
{
	int step = (line->right - LEFT) / (int)(line->count ? line->count : 1);

	return step < COLUMN_MAX ? step : COLUMN_MAX;
}

static int column_x(const struct timeline *line, size_t column)
{
	int step = column_step(line);
	int all = step * (int)line->count;

	return LEFT + (line->right - LEFT - all) / 2 + step * (int)column + step / 2;
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
	    LEFT, TIME_Y, line->right, LEFT, TIME_Y - 14, line->right, TIME_Y - 14, line->last,
	    TIME_Y + 4);
	for (size_t i = 0; i < line->tid_count; i++) {
		int y = lane_y(line, line->tids[i]);
		fprintf(line->page,
		    "<path class=\"lane\" d=\"M%d %dH%d\"/><text x=\"0\" y=\"%d\">thread %d ", LEFT,
		    y, line->right, y + 4, line->tids[i]);
		if (line->names[i])
			page_bytes(line->page, line->names[i], strnlen(line->names[i], 15));
		fputs("</text>\n", line->page);
	}
}

/* Connects the claim's position in the recording with its thread. */
static void write_way(const struct timeline *line, size_t column)
{
	const struct point *point = &line->points[column];
	long long width = line->right - LEFT, last = line->last > 0 ? line->last : 1;
	int x = column_x(line, column), from = LEFT + (int)(width * point->event / last);

	fprintf(line->page, "<path class=\"way\" d=\"M%d %dL%d %dV%d\"/>\n", from, TIME_Y, x, FAN_Y,
	    lane_y(line, point->tid));
}

static int places_y(const struct timeline *line)
{
	return LANE_Y + LANE_STEP * (int)line->tid_count - LANE_STEP / 2;
}

/* How many claims, from this column on, are at the same moment. */
static size_t same_moment(const struct timeline *line, size_t column)
{
	const struct point *first = &line->points[column];
	size_t count = 1;

	for (; column + count < line->count; count++) {
		const struct point *point = first + count;
		if (point->event != first->event || point->ticks != first->ticks ||
		    point->tid != first->tid)
			break;
	}
	return count;
}

/* A long name loses its end, never its line. */
static void write_place(FILE *page, const char *place)
{
	const char *line = strrchr(place, ':');
	size_t tail = line ? strlen(line) : 0, length = strlen(place);

	if (length > PLACE_MAX && tail + 3 < PLACE_MAX) {
		length = PLACE_MAX - 3 - tail;
		while (length && ((unsigned char)place[length] & 0xc0) == 0x80)
			length--;
		page_bytes(page, place, length);
		fputs("...", page);
		page_text(page, line);
	} else {
		page_text(page, place);
	}
}

/* Leaves a place out where it would cover the one before it; its claim names it all the same. */
static void write_places(const struct timeline *line)
{
	int y = places_y(line) + 10, before = 0, x;

	for (size_t column = 0, same; column < line->count; column += same) {
		const char *place = mi_text(line->points[column].stood, "place");
		same = same_moment(line, column);
		x = (column_x(line, column) + column_x(line, column + same - 1)) / 2;
		if (!place || (before && x - before < PLACE_ROOM))
			continue;
		before = x;
		fprintf(line->page,
		    "<text class=\"place\" text-anchor=\"end\" "
		    "transform=\"translate(%d %d) rotate(-%d)\">",
		    x + 4, y, PLACE_TILT);
		write_place(line->page, place);
		fputs("</text>\n", line->page);
	}
}

/* What the slanted places need below the lanes: a character is 7.2 wide. */
static int places_height(const struct timeline *line)
{
	size_t longest = 0;

	for (size_t i = 0; i < line->count; i++) {
		const char *place = mi_text(line->points[i].stood, "place");
		size_t length = place ? strnlen(place, PLACE_MAX) : 0;
		longest = length > longest ? length : longest;
	}
	return 20 + (int)longest * 11 / 2;
}

/* Uses shapes as well as colours, because not everybody can tell the colours apart. */
static void write_dot(const struct timeline *line, size_t column)
{
	const struct point *point = &line->points[column];
	int x = column_x(line, column), y = lane_y(line, point->tid);
	int size = column_step(line) / 2 - 1 < DOT_MAX ? column_step(line) / 2 - 1 : DOT_MAX;

	fprintf(line->page, "<a href=\"#claim-%zu\" class=\"%s\"><title>claim %zu, ", point->number,
	    point->style, point->number);
	page_text(line->page, mi_text(point->stood, "place"));
	fputs(", ", line->page);
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
	stretch(&line);
	fprintf(page,
	    "<figure><svg class=\"%s\" width=\"%d\" viewBox=\"0 0 %d %d\" role=\"group\" "
	    "aria-label=\"Timeline\">\n",
	    line.right + MARGIN > WIDTH ? "wide" : "fits", line.right + MARGIN, line.right + MARGIN,
	    places_y(&line) + places_height(&line));
	write_lanes(&line);
	for (size_t i = 0; i < line.count; i++)
		write_way(&line, i);
	for (size_t i = 0; i < line.count; i++)
		write_dot(&line, i);
	write_places(&line);
	fputs("</svg><figcaption>Each claim on its thread, in the order of time; the line above is "
	      "the whole recording. A circle: it held. A square: it did not. A dashed circle: it "
	      "could not be checked.</figcaption></figure>\n",
	    page);
}
