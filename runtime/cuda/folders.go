package cuda

import (
	"path/filepath"
	"strings"
)

// LibraryFolders are where a toolkit or a Python wheel puts the library, as
// patterns; roots are folders of Python environments.
func LibraryFolders(roots ...string) []string {
	list := []string{"/usr/local/cuda/lib64", "/opt/cuda/lib64", "/usr/lib/x86_64-linux-gnu", "/usr/local/cuda-*/lib64"}
	for _, root := range append(roots, "/usr/local", "/usr") {
		if root == "" {
			continue
		}
		for _, site := range []string{"site-packages", "dist-packages"} {
			for _, wheel := range []string{"cu13", "cublas"} {
				list = append(list, filepath.Join(strings.TrimSuffix(root, "/"), "lib", "python3*", site, "nvidia", wheel, "lib"))
			}
		}
	}
	return list
}
