// Package quota bounds the looks that webhooks cause, and the points that those of unsigned webhooks cost.
package quota
