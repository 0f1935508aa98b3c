package main

import (
	"github.com/spf13/cobra"
)

func newRootCmd(a *app) *cobra.Command {
	color := "auto"
	c := &cobra.Command{
		Use:   "gradcue",
		Short: "Compile and run training experiments written in CUE",
		Long: `gradcue checks a training experiment that is written in CUE, compiles it into a
plan that says what happens when and what each byte of memory is for, and runs
the plan.

The memory, time and transfers of a plan are known before anything runs.`,
		Example: `  gradcue init                       a commented experiment in this folder
  gradcue vet                        check it; silent when good
  gradcue plan                       memory, compute and time on one screen
  gradcue run .                      train; the same command goes on where it stopped
  gradcue sample runs/NAME           text from the trained model`,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		PersistentPreRunE: func(*cobra.Command, []string) (err error) {
			if err := a.chooseColor(color); err != nil {
				return err
			}
			a.settings, err = parseSettings(a.getenv("GRADCUE"))
			return err
		},
		RunE: func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.CompletionOptions.DisableDefaultCmd = true
	c.PersistentFlags().StringVar(&color, "color", color, "colour: auto (on a terminal), always, never")
	complete(c, "color", "auto", "always", "never")
	c.AddCommand(
		newInitCmd(a),
		newVetCmd(a),
		newPlanCmd(a),
		newShowCmd(a),
		newRunCmd(a),
		newSampleCmd(a),
		newGradcheckCmd(a),
		newBenchCmd(a),
		newCalibrateCmd(a),
		newProveCmd(a),
		newDataCmd(a),
		newExplainCmd(a),
		newVersionCmd(a),
		newCompletionCmd(a),
	)
	return c
}

// complete offers the values of a flag to the shell.
func complete(c *cobra.Command, flag string, values ...string) {
	// The only error is that of a flag that does not exist, which a test would meet.
	_ = c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}
