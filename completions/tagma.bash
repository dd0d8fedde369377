# SPDX-License-Identifier: Apache-2.0
# bash completion for tagma(1). What there is to complete is read from its --help: no list is kept here.

# A line an option, "-t|--tree|VALUE": the letter and the value may be empty.
_tagma_options()
{
    "$1" "$2" --help 2>/dev/null | sed -nE 's/^  (-.|  ) (--[a-z-]+)( ([^ ]+))?( .*)?$/\1|\2|\4/p' | tr -d ' '
}

_tagma()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} letter name value words=

    COMPREPLY=()
    if [[ $COMP_CWORD -eq 1 ]]; then
        words=$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -nE '/^commands:/,/^$/s/^  ([a-z]+) .*/\1/p')
        words+=' --help --version'
    else
        while IFS='|' read -r letter name value; do
            if [[ -n $value && ($prev == "$letter" || $prev == "$name") ]]; then
                case $value in
                *'|'*) mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$cur") ;;
                FILE | LIST | OUT) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
                esac
                return
            fi
            words+=" $letter $name"
        done < <(_tagma_options "${COMP_WORDS[0]}" "${COMP_WORDS[1]}")
    fi
    if [[ $cur == -* || $COMP_CWORD -eq 1 ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    fi
    # A line a name: a name may hold blanks.
    [[ $cur == -* ]] || mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(
        compgen -f -X '!*.root' -- "$cur"
        compgen -f -X '!*.tagma' -- "$cur"
        compgen -d -- "$cur"
    )
}
complete -o filenames -F _tagma tagma
