# SPDX-License-Identifier: Apache-2.0
# fish completion for tagma(1). What there is to complete is read from its --help: no list is kept here.

# A line an option: letter, name, value, words; tabs between.
function __tagma_options
    set -l line (commandline -opc)
    test (count $line) -ge 2; or return
    $line[1] $line[2] --help 2>/dev/null | string replace -rf '^  (-.|  ) (--[a-z-]+)(?: (\S+))?(?: +(.*))?$' '$1\t$2\t$3\t$4'
end

function __tagma_complete
    set -l line (commandline -opc)
    set -l token (commandline -ct)
    if test (count $line) -eq 1
        $line[1] --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
        __fish_complete_suffix .root
        __fish_complete_suffix .tagma
        return
    end
    for option in (__tagma_options)
        set -l field (string split \t -- $option)
        if test -n "$field[3]"; and contains -- $line[-1] (string trim -- $field[1]) $field[2]
            switch $field[3]
                case '*|*'
                    string split '|' -- $field[3]
                case FILE LIST OUT
                    __fish_complete_path $token
            end
            return
        end
    end
    if string match -q -- '-*' $token
        for option in (__tagma_options)
            set -l field (string split \t -- $option)
            for name in (string trim -- $field[1]) $field[2]
                test -n "$name"; and printf '%s\t%s\n' $name $field[4]
            end
        end
    else
        __fish_complete_suffix .root
        __fish_complete_suffix .tagma
    end
end

complete -c tagma -f -a '(__tagma_complete)'
