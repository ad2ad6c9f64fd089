package cmd

import _ "time/tzdata" // Windows has no time zones that Go can read by name
