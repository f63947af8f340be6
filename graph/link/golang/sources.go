package golang

// Sources says where a linker without options of its own looks for the standard
// library and for dependencies on this machine; "" where nothing was found.
func Sources() (goroot, moduleCache string) { return findGOROOT(), findModuleCache() }
