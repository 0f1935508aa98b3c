package cuda

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed *.ptx
var files embed.FS

// Module is one PTX module, to be loaded whole by the driver.
type Module struct {
	Name    string // of the source, without .cu
	PTX     string
	Entries []string // entry points, in the order of the text
}

// Modules lists the modules by name.
func Modules() ([]Module, error) {
	names, err := fs.Glob(files, "*.ptx")
	if err != nil {
		return nil, err
	}
	list := make([]Module, 0, len(names))
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, Module{strings.TrimSuffix(name, ".ptx"), string(text), entries(string(text))})
	}
	return list, nil
}

// entries finds the names after ".entry".
func entries(ptx string) (names []string) {
	for {
		_, rest, ok := strings.Cut(ptx, ".entry ")
		if !ok {
			return names
		}
		name, after, _ := strings.Cut(rest, "(")
		names, ptx = append(names, strings.TrimSpace(name)), after
	}
}
