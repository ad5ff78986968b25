/*
 * Its debug information names a source file with characters that mislead a reader: one that
 * reverses the direction of the text, and an escape.
 */
#line 1 "turned\342\200\256\033.c"
int main(void)
{
	return 3;
}
