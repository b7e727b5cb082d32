// Marks the module root and is otherwise unused: each release's requirements stand in a file of
// their own, chosen with -modfile (kubernetes-1.36.mod, kubernetes-1.31.mod).
module holdfast.dev/control-plane

go 1.22
