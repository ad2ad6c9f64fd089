package cmd

// examples are command lines that --help of a command shows, by the command. Those of "" stand
// below the list of commands. A test parses each of them.
var examples = map[string][]string{
	"": {
		"pubsync demo",
		"pubsync doctor --env-file pubsync.env",
		"pubsync plan --env-file pubsync.env",
		"pubsync run --env-file pubsync.env",
		"pubsync help explain",
	},
	"run": {
		"pubsync run --env-file pubsync.env",
		"pubsync run --once --env-file pubsync.env",
		"pubsync run --once --quiet --fail-on blocked,held,pending,refused --env-file pubsync.env",
		"pubsync run --once --full --patience 10m",
		"pubsync run --once --dry-run --json",
	},
	"plan":         {"pubsync plan --env-file pubsync.env", "pubsync plan --full --json"},
	"demo":         {"pubsync demo", "pubsync demo --once", "pubsync demo --adapter http --env-file shop.env"},
	"status":       {"pubsync status --env-file pubsync.env", "pubsync status --check", "pubsync status --json"},
	"publications": {"pubsync publications --state blocked", "pubsync publications --limit 20 --json"},
	"explain":      {"pubsync explain 1234", "pubsync explain 1234 --json"},
	"retry":        {"pubsync retry 1234 5678", "pubsync retry --failed", "pubsync retry --reset 1234"},
	"approve":      {"pubsync approve --list", "pubsync approve 1234", "pubsync approve --kind price"},
	"decline":      {"pubsync decline 1234", "pubsync decline --group price/supplier-down"},
	"doctor":       {"pubsync doctor --env-file pubsync.env", "pubsync doctor --json"},
	"store": {
		"pubsync store copy pubsync.db postgres://pubsync:secret@127.0.0.1/pubsync",
	},
	"store copy": {
		"pubsync store copy pubsync.db postgres://pubsync:secret@127.0.0.1/pubsync",
		"pubsync store copy postgres://pubsync:secret@127.0.0.1/pubsync pubsync.db",
	},
	"backup":        {"pubsync backup /var/backups/pubsync.db --env-file pubsync.env"},
	"adapters":      {"pubsync adapters", "pubsync adapters vendure", "pubsync adapters new myshop --dir myshop"},
	"adapters list": {"pubsync adapters", "pubsync adapters vendure", "pubsync adapters --env"},
	"adapters new": {
		"pubsync adapters new myshop --dir myshop",
	},
	"conform": {"pubsync conform --env-file shop.env"},
	"sandbox": {
		"pubsync sandbox --live",
		"pubsync sandbox --live --publications 500",
		"pubsync sandbox --listen 127.0.0.1:9000",
		"pubsync sandbox do price any x1.1",
	},
	"sandbox do": {
		"pubsync sandbox do list",
		"pubsync sandbox do add mug",
		"pubsync sandbox do price any x1.1",
		"pubsync sandbox do stock any 0",
		"pubsync sandbox do text any 'A new title'",
		"pubsync sandbox do remove any",
		"pubsync sandbox do throttle --next 3",
	},
	"help":    {"pubsync help", "pubsync help run", "pubsync help sandbox do"},
	"version": {"pubsync version", "pubsync version --json"},
}
