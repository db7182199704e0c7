package procctlcmd

import (
	"context"

	"processkit-cli/pkcshared/applet"
	"processkit-cli/pkcshared/exit"
	"processkit-cli/pkcshared/text"
)

const absent = "not available on Windows, which has neither process groups nor SIGTERM"

func launch(context.Context, *applet.Call, plan) error {
	return exit.Errorf(exit.Setup, "launch is %s; nothing was started", absent)
}

func stop(context.Context, string, text.Millis) error {
	return exit.As(exit.Control, exit.KindUnprobed, "stop is %s; nothing was signalled", absent)
}
