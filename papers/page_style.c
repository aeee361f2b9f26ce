/* What the page of all measurements adds to the look of all pages. */
#include "papers/page.h"

const char page_style[] =
	"h2{margin-top:3rem;border-bottom:2px solid var(--line)}h3{margin-top:2.2rem}"
	"h3 span{font-weight:400}.key svg{vertical-align:-1px;margin-right:.3em}\n"
	"code{font:13px/1.5 ui-monospace,Menlo,Consolas,monospace;background:var(--plot);"
	"padding:.1em .35em;border-radius:3px}\n"
	"th.what{white-space:normal;min-width:14rem;font-weight:400;color:var(--fg)}"
	".what .dim{display:block;font-size:.93em}\n"
	".v{display:inline-block;padding:0 .45em;border-radius:3px;font-size:.9em;"
	"white-space:nowrap;background:var(--plot)}.within{color:var(--good)}.near{color:var(--o)}"
	".missed,.missing{color:var(--bad)}.private,.calibration{color:var(--dim)}\n"
	".bars{display:block;margin-top:.25rem;max-width:none}.bars rect[class^=c]{fill-opacity:.85}"
	".bars .band{fill:var(--s2);fill-opacity:.3}.bars .paper{stroke:var(--bad);stroke-width:2}"
	".bars .zero{stroke:var(--line)}.c0{fill:var(--s0)}.c1{fill:var(--s1)}.c2{fill:var(--s2)}"
	".c3{fill:var(--s4)}.more{fill:var(--bg)}\n"
	".pictures{display:flex;flex-wrap:wrap}.pictures svg{width:32rem;max-width:100%}\n"
	".index{columns:4 18rem;font-size:.93em}.index a{display:block;overflow:hidden;"
	"text-overflow:ellipsis;white-space:nowrap}\n"
	"@media print{body{max-width:none;padding:0;font-size:10px}nav{display:none}"
	"a{color:inherit;text-decoration:none}tr,figure{break-inside:avoid}"
	"h2,h3{break-after:avoid}.v,.bars,figure{print-color-adjust:exact;"
	"-webkit-print-color-adjust:exact}.index{columns:5}}\n";
