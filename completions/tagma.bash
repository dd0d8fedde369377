# SPDX-License-Identifier: Apache-2.0
# bash completion for tagma(1).

_tagma()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local commands='ls info check index pick show scan'
    local options='-t -c -f -o -j -q --max-memory --json --stats --io --files --ids --help'

    COMPREPLY=()
    case $prev in
    -f) COMPREPLY=($(compgen -W 'table csv jsonl ids entries' -- "$cur")); return ;;
    --io) COMPREPLY=($(compgen -W 'pread mmap' -- "$cur")); return ;;
    --order) COMPREPLY=($(compgen -W 'asked file' -- "$cur")); return ;;
    --unique) COMPREPLY=($(compgen -W 'all error' -- "$cur")); return ;;
    -t | -c | -j | --ids | --coords | --max-memory | --start | --first | --count) return ;;
    -e | -o | --index | --report | --missing | --files) COMPREPLY=($(compgen -f -- "$cur")); return ;;
    esac
    case $command in
    ls) options+=' -l' ;;
    index) options+=' --force' ;;
    pick) options+=' -e --order --once --unique --missing --report --index --no-sidecar --keep-index' ;;
    show) options+=' --index --no-sidecar --keep-index' ;;
    scan) options+=' --start --first --count' ;;
    esac
    if [[ $cur == -* ]]; then
        [[ $COMP_CWORD -gt 1 ]] || options='--help --version'
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
        return
    fi
    [[ $COMP_CWORD -gt 1 ]] || COMPREPLY=($(compgen -W "$commands" -- "$cur"))
    COMPREPLY+=($(compgen -f -X '!*.root' -- "$cur") $(compgen -d -S / -- "$cur"))
}
complete -o filenames -o nospace -F _tagma tagma
