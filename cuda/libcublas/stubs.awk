# Writes C: a weak function for each name of names.txt, which those of other files replace.
BEGIN {
	print "/* Made by cuda/libcublas/stubs.awk from cuda/libcublas/names.txt. */"
	print "#include \"cuda/libcublas/inside.h\""
	print "#define STUB(name) API __attribute__((weak)) enum status name(void); \\"
	print "\tAPI __attribute__((weak)) enum status name(void) \\"
	print "\t{ static bool told; return blas_lacks(#name, &told); }"
}
!/^#/ && NF { print "STUB(" $1 ")" }
