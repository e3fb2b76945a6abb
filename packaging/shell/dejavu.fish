# Runs your agents wrapped by their own names: put this file into ~/.config/fish/conf.d.
if status is-interactive; and type -q dejavu
    dejavu shell-init fish | source
end
