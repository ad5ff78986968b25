/*
 * See folded.h.
 */
#include "supervisor/folded.h"

#include <string.h>
#include <sys/ioctl.h>

#define WIDEST	  120
#define NARROWEST 40

int folded_width(FILE *out)
{
	struct winsize size;

	if (ioctl(fileno(out), TIOCGWINSZ, &size) < 0 || size.ws_col < NARROWEST)
		return 0;
	return size.ws_col < WIDEST ? size.ws_col : WIDEST;
}

void folded_print(FILE *out, const char *text, int column, int width)
{
	int at = column;

	if (width == 0) {
		fprintf(out, "%s\n", text);
		return;
	}
	for (const char *word = text; *word != 0;) {
		int length = (int)strcspn(word, " ");
		if (at > column && at + 1 + length > width) {
			fprintf(out, "\n%*s", column, "");
			at = column;
		}
		at += fprintf(out, "%s%.*s", at > column ? " " : "", length, word);
		word += length;
		word += strspn(word, " ");
	}
	fprintf(out, "\n");
}
