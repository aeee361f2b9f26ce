# Writes C: a weak function for each name of names.txt, which those of other files replace.
BEGIN {
	print "/* Made by cuda/stubs.awk from cuda/names.txt. */"
	print "#include \"cuda/inside.h\""
	print "#define STUB(name) API __attribute__((weak)) cudaError_t name(void); \\"
	print "\tAPI cudaError_t name(void) { return not_supported(#name); }"
}
!/^#/ && NF { print "STUB(" $1 ")" }
