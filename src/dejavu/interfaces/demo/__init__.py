"""The bundled demo agent: a small real terminal program that plays a scripted session on its own.

It draws what coding agents draw (a prompt box, a spinner, a permission dialog, an answer that
streams in, an alternate screen that leaves nothing behind) and writes no file at all, so that
whatever Déjà Vu shows of it afterwards was read from the screen. Run it with
`python -m dejavu.interfaces.demo`, or wrapped: `dejavu-run --screen demo`.
"""
