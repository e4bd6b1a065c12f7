// The folder's first sources replace this file.
