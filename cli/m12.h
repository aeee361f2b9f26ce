/* Figures and tables of Gebhart et al., MICRO 2012, but Table 1, each a target in a file: as the
 * paper measured them, on one SM, and on the chip. The methods and bands: doc/reproduce.md. */
#ifndef CLI_M12_H
#define CLI_M12_H

#include "cli/reproduce.h"

enum m12_column { M12_PAPER, M12_CHIP };

#endif
