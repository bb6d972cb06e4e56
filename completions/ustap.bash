# bash completion of ustap                                 -*- shell-script -*-
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `ustap --complete' prints the completions; this file splits words as the shell does.

# Sets $plain to WORD without its quotes, and $quote to the quote that is still open.
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

# Sets $words to the words before the cursor; = and : do not separate words.
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

# WORD quoted as the replacement that readline expects.
_ustap_quoted()
{
	case $quote in
	\') printf '%s' "$1" ;;
	\") printf '%s' "$1" | sed 's/[\\"$`]/\\&/g' ;;
	*)
		if [[ $1 == *[!a-zA-Z0-9_/.,:=+-]* ]]; then
			printf '%q' "$1"
		else
			printf '%s' "$1"
		fi ;;
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
	# the text before the word of readline, $2, which readline does not replace
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
	# readline would close the quote after a single completion
	[[ $unfinished && $quote && ${#COMPREPLY[@]} == 1 ]] && COMPREPLY+=("${COMPREPLY[0]}...")
}

complete -F _ustap ustap
