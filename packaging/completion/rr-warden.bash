# bash completion for rr-warden. It takes options and commands from `rr-warden --help` and `rr-warden
# --help settings`, so that there is no second list to keep up to date.

_rr_warden_words()
{
	{ "$1" --help && "$1" --help settings; } 2>/dev/null | sed -n \
		-e 's/^  \(--[a-z_-]*\)\([ =].*\)\{0,1\}$/\1/p' \
		-e 's/^  rr-warden \([a-z][a-z-]*\)[ ].*/\1/p' | sort -u # common options come twice
}

_rr_warden()
{
	local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} option="" word
	COMPREPLY=()

	# After a command the words are that command's own: programs and files.
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
		rr | record-until | explain)
			compopt -o default
			return
			;;
		esac
	done

	# bash splits --pmu=soft at the "=".
	if [[ $current == "=" ]]; then
		option=$previous current=""
	elif [[ $previous == "=" ]]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	case $option in
	"") ;;
	--pmu)
		mapfile -t COMPREPLY < <(compgen -W "auto hardware software" -- "$current")
		return
		;;
	--redact)
		mapfile -t COMPREPLY < <(compgen -W "secrets" -- "$current")
		return
		;;
	--sandbox-*)
		mapfile -t COMPREPLY < <(compgen -W "require prefer off" -- "$current")
		return
		;;
	--*-dir | --*-root | --*-directory)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -d -- "$current")
		return
		;;
	*)
		compopt -o filenames
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
		return
		;;
	esac

	mapfile -t COMPREPLY < <(compgen -W "$(_rr_warden_words "$1")" -- "$current")
}

complete -F _rr_warden rr-warden
