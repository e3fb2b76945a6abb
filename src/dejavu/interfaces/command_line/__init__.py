"""How the `dejavu` command line works; the commands themselves are in `interfaces/cli`.

`app` runs a line, `commands` lists the commands, `options` holds the parameters that several share,
`output` prints. Holds no command.
"""
