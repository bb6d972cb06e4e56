# SPDX-License-Identifier: GPL-2.0-or-later
# `ustap --complete' prints the completions.

function __ustap_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct | string replace -r '^[\'"]' '')
    set -l lines ($words[1] --complete $words[2..] "$current" 2>/dev/null)
    # fish would append a quote or space to a single completion
    if test (count $lines) = 1; and string match -qr '\t.*\t$' -- $lines[1]
        set -a lines (string replace \t ...\t -- $lines[1])
    end
    for line in $lines
        switch $line
            case \tfiles
                __fish_complete_path $current
            case \tscripts
                __fish_complete_suffix .stp
            case \tdirectories
                __fish_complete_directories $current
            case \tcommands
                __fish_complete_command
            case '*'
                string trim --right --chars=\t -- $line
        end
    end
end

complete -c ustap -f -a '(__ustap_complete)'
