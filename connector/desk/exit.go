package desk

// The exit codes of a command.
const (
	ExitOK          = 0
	ExitStanding    = 1 // some publication stands rejected, blocked, held or pending, or a report refused
	ExitUsage       = 2 // wrong usage or configuration
	ExitMarketplace = 3 // cannot be reached, refuses the token, or the sweep could not be completed
	ExitShop        = 4 // cannot be reached, or refuses the credentials
	ExitStore       = 5 // cannot be opened
)

// An Error is why a request could not be answered, with the exit code of the command that made it.
type Error struct {
	Exit int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }
func (e *Error) Unwrap() error { return e.Err }
