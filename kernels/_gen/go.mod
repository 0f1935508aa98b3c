module github.com/gradcue/gradcue/kernels/_gen

go 1.26.0
