package main

import (
	"github.com/spf13/cobra"

	"github.com/gradcue/gradcue/compiler/plan"
)

func newSampleCmd(a *app) *cobra.Command    { return &cobra.Command{Use: "sample"} }
func newGradcheckCmd(a *app) *cobra.Command { return &cobra.Command{Use: "gradcheck"} }

func (a *app) runLines(p *page, run string, pl *plan.Plan) {}
