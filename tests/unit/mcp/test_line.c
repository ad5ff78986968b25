/*
 * The line reader and the output queue: the same bytes give the same lines however they are cut,
 * and no client makes them store more than their limits.
 */
#include "mcp/line.h"
#include "tests/unit/mcp/exchange.h"

static struct line_reader reader;
static const char *line;
static size_t length;

static void open_reader(void)
{
	reader = (struct line_reader){0};
}

static void close_reader(void)
{
	line_reader_clear(&reader);
}

static void push(const char *text)
{
	ck_assert(line_reader_push(&reader, text, strlen(text)));
}

static void assert_next_line(const char *expected)
{
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_READY);
	ck_assert_uint_eq(length, strlen(expected));
	ck_assert_mem_eq(line, expected, length);
}

static void push_many(char byte, size_t count)
{
	char chunk[65536];

	memset(chunk, byte, sizeof(chunk));
	while (count > 0) {
		size_t some = count < sizeof(chunk) ? count : sizeof(chunk);
		ck_assert(line_reader_push(&reader, chunk, some));
		count -= some;
		/* as in the server: takes out what it can after each read */
		if (count > 0)
			ck_assert_int_ne(line_reader_next(&reader, &line, &length), LINE_READY);
	}
}

START_TEST(several_lines_of_one_read_come_one_by_one)
{
	push("one\ntwo\n\nthree");
	assert_next_line("one");
	assert_next_line("two");
	assert_next_line("");
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_NONE);
	push("!\n");
	assert_next_line("three!");
}

START_TEST(a_line_may_arrive_byte_by_byte)
{
	const char *text = "{\"id\":1}\n";

	for (const char *byte = text; *byte; byte++) {
		ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_NONE);
		ck_assert(line_reader_push(&reader, byte, 1));
	}
	assert_next_line("{\"id\":1}");
}

START_TEST(a_carriage_return_before_the_newline_is_not_part_of_the_line)
{
	push("one\r\n\r\nt\rwo\n");
	assert_next_line("one");
	assert_next_line("");
	assert_next_line("t\rwo");
}

START_TEST(a_line_of_exactly_the_limit_is_taken)
{
	push_many('x', LINE_MAX_BYTES);
	push("\n");
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_READY);
	ck_assert_uint_eq(length, LINE_MAX_BYTES);
}

START_TEST(a_line_over_the_limit_is_reported_once_and_the_next_one_is_read)
{
	push_many('x', LINE_MAX_BYTES + 1);
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_TOO_LONG);
	push_many('y', 3 * (size_t)LINE_MAX_BYTES);
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_NONE);
	push("\nnext\n");
	assert_next_line("next");
}

START_TEST(a_line_over_the_limit_is_not_held_while_it_goes_on)
{
	push_many('x', LINE_MAX_BYTES + 1);
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_TOO_LONG);
	ck_assert_uint_eq(reader.capacity, 0);
	push_many('x', LINE_MAX_BYTES);
	ck_assert_uint_le(reader.capacity, 2 * 65536);
}

START_TEST(the_memory_of_a_long_line_is_given_back)
{
	push_many('x', 1u << 20);
	push("\n");
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_READY);
	ck_assert_int_eq(line_reader_next(&reader, &line, &length), LINE_NONE);
	ck_assert_uint_eq(reader.capacity, 0);
}

START_TEST(lines_that_are_not_taken_out_are_bounded)
{
	char chunk[65536];
	size_t pushed = 0;

	memset(chunk, '\n', sizeof(chunk));
	while (line_reader_push(&reader, chunk, sizeof(chunk)) && pushed < 64u << 20)
		pushed += sizeof(chunk);
	ck_assert_uint_le(pushed, 2 * (size_t)LINE_MAX_BYTES);
}

START_TEST(output_is_consumed_from_the_front)
{
	struct output_queue queue = {0};

	output_queue_append(&queue, "abc", 3);
	output_queue_consume(&queue, 1);
	output_queue_append(&queue, "def", 3);
	ck_assert_uint_eq(output_queue_size(&queue), 5);
	ck_assert_mem_eq(queue.bytes + queue.start, "bcdef", 5);
	output_queue_clear(&queue);
}

START_TEST(output_nobody_reads_fails_at_its_limit)
{
	struct output_queue queue = {0};
	static char chunk[1u << 20];

	for (size_t i = 0; i <= OUTPUT_MAX_BYTES / sizeof(chunk); i++)
		output_queue_append(&queue, chunk, sizeof(chunk));
	ck_assert(queue.failed);
	ck_assert_uint_le(output_queue_size(&queue), OUTPUT_MAX_BYTES);
	output_queue_clear(&queue);
}

int main(void)
{
	const TTest *const tests[] = {several_lines_of_one_read_come_one_by_one,
	    a_line_may_arrive_byte_by_byte,
	    a_carriage_return_before_the_newline_is_not_part_of_the_line,
	    a_line_of_exactly_the_limit_is_taken,
	    a_line_over_the_limit_is_reported_once_and_the_next_one_is_read,
	    a_line_over_the_limit_is_not_held_while_it_goes_on,
	    the_memory_of_a_long_line_is_given_back, lines_that_are_not_taken_out_are_bounded,
	    output_is_consumed_from_the_front, output_nobody_reads_fails_at_its_limit, NULL};

	return run_tests("line", tests, open_reader, close_reader);
}
