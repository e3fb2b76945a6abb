# fish completion of dejavu: ids, names, agents and workspaces come from the program itself.
function __dejavu_complete
    set -lx COMP_WORDS (string join \n -- (commandline -opc) (commandline -ct) | string collect)
    set -lx COMP_CWORD (count (commandline -opc))
    _DEJAVU_COMPLETE=complete_bash command dejavu 2>/dev/null
end
complete --command dejavu --command dejavu-capture --arguments '(__dejavu_complete)'
