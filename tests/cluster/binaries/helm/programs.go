//go:build programs

// Package programs names the program that the rig builds from this module.
package programs

import _ "helm.sh/helm/v3/cmd/helm"
