#ifndef SUPERVISOR_HELP_H
#define SUPERVISOR_HELP_H
/*
 * What people read who type rr-warden in a terminal. At most 80 columns wide. The manual page of
 * the settings and the completions of the shells are made from the first two.
 */

/* `--help`: the commands and the settings that most people need, on one screen. */
void help_print(void);

/*
 * `--help settings`: a line "[section]" for each section, and below it its settings: a line
 * "  --flag  text [default]" that goes on in lines with more than two spaces in front. The text
 * ends with `; in a file: KEY`, where the key is not the flag's name, and with the environment
 * variable.
 */
void help_print_settings(void);

/* For the server without a client: what it is, and what to type. */
void help_greet(void);

#endif
