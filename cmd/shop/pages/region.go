package pages

import "bytes"

// RegionScript is the address of the script that tells of a region that is cut off. No bundle of the storefront has it.
const RegionScript = "/region.js"

const regionStyle = `#region{margin:0;padding:6px 16px;background:#fff1c2;border-bottom:1px solid #c9a227;color:#443300;font:600 14px/1.4 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;text-align:center}#region[hidden]{display:none}`

// TellRegion has the storefront's pages say how old they are while the region is cut off. It is for pages that nobody has been
// served yet.
func (p *Pages) TellRegion() {
	p.shell.links = bytes.Replace(p.shell.links, []byte("</head>"), []byte("<style>"+regionStyle+"</style>\n<script src=\""+RegionScript+"\" defer></script>\n</head>"), 1)
	before := p.shell.strip
	p.shell.strip = func(language string) string {
		strip := `<aside id="region" role="status" hidden></aside>`
		if before != nil {
			strip += before(language)
		}
		return strip
	}
}
