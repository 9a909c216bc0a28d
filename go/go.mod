module fathom.dev/go

go 1.25.0
