# Writes C: a weak function for each name of names.txt, which those of library.c replace.
BEGIN {
	print "/* Made by cuda/libcuda/stubs.awk from cuda/libcuda/names.txt. */"
	print "#include <stdbool.h>"
	print "int libcuda_not_supported(const char *name, bool *told);"
	print "#define STUB(name) \\"
	print "\t__attribute__((weak, visibility(\"default\"))) int name(void); \\"
	print "\t__attribute__((weak, visibility(\"default\"))) int name(void) \\"
	print "\t{ static bool told; return libcuda_not_supported(#name, &told); }"
}
!/^#/ && NF { print "STUB(" $1 ")" }
