# bash completion of ustap                                 -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What can be completed, `ustap --complete' says; here words are taken apart as the shell would.

# The text of WORD without its quotes in $plain; $quote is that which is still open.
_ustap_plain()
{
	local word=$1 char i

	plain= quote=
	for ((i = 0; i < ${#word}; i++)); do
		char=${word:i:1}
		if [[ $char == \\ && $quote != \' ]]; then
			((i++))
			char=${word:i:1}
			[[ $quote == \" && $char != [\"\\\$\`] ]] && plain+=\\
			plain+=$char
		elif [[ $char == "$quote" ]]; then
			quote=
		elif [[ -z $quote && $char == [\'\"] ]]; then
			quote=$char
		else
			plain+=$char
		fi
	done
}

# The words before the cursor in $words; those that only = or : divide are one.
_ustap_words()
{
	local line=${COMP_LINE:0:COMP_POINT} blanks i

	words=()
	for ((i = 0; i <= COMP_CWORD; i++)); do
		blanks=${line%%[![:space:]]*}
		line=${line#"$blanks"}
		if [[ -n $blanks || $i == 0 ]]; then
			words+=("${COMP_WORDS[i]}")
		else
			words[${#words[@]} - 1]+=${COMP_WORDS[i]}
		fi
		line=${line#"${COMP_WORDS[i]}"}
	done
}

# As readline wants WORD in the place of what it replaces.
_ustap_quoted()
{
	case $quote in
	\') printf '%s' "$1" ;;
	\") printf '%s' "$1" | sed 's/[\\"$`]/\\&/g' ;;
	*) if [[ $1 == *[!a-zA-Z0-9_/.,:=+-]* ]]; then printf '%q' "$1"; else printf '%s' "$1"; fi ;;
	esac
}

_ustap_files()
{
	compopt -o filenames 2> /dev/null
	case $1 in
	directories) mapfile -t COMPREPLY < <(compgen -d -- "$cur") ;;
	commands) mapfile -t COMPREPLY < <(compgen -c -- "$cur") ;;
	scripts) mapfile -t COMPREPLY < <(compgen -f -X '!*.stp' -- "$cur"; compgen -d -- "$cur") ;;
	*) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	esac
}

_ustap()
{
	local words plain quote kept word line open unfinished= cur last=() i

	_ustap_words
	for ((i = 1; i < ${#words[@]}; i++)); do
		_ustap_plain "${words[i]}"
		last+=("$plain")
	done
	# what readline does not replace: all before its own word, $2
	cur=$plain
	open=$quote
	_ustap_plain "$open$2"
	kept=${cur%"$plain"}
	cur=$plain quote=$open
	COMPREPLY=()
	while IFS= read -r line; do
		word=${line%%$'\t'*}
		if [[ -z $word ]]; then
			_ustap_files "${line#$'\t'}"
			return
		fi
		[[ $line == *$'\t' && $line == *$'\t'*$'\t' ]] && unfinished=1
		COMPREPLY+=("$(_ustap_quoted "${word#"$kept"}")")
	done < <("$1" --complete "${last[@]}" 2> /dev/null)
	[[ $unfinished ]] && compopt -o nospace 2> /dev/null
	# readline would close the quote behind a single one
	[[ $unfinished && $quote && ${#COMPREPLY[@]} == 1 ]] && COMPREPLY+=("${COMPREPLY[0]}...")
}

complete -F _ustap ustap
