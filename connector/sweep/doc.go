// Package sweep lists the marketplace's import list. An incremental sweep lists what changed; an
// enumeration lists all and finds what is gone. A sweep reads only identifiers, updatedAt and
// status, and marks what is to be looked at. The [Timetable] says when sweeps are made.
//
// # What it keeps
//
//   - No entry is skipped and the last content wins, even when entries move while they are listed
//     or share an updatedAt over the edge of a page, when a cursor is refused, and when a clock is
//     set back. A change between the reading of the content and the look before the report is not
//     hidden by the report's own move of updatedAt.
//   - Absence is believed only from a complete enumeration, and only after the marketplace was
//     asked for that publication by itself. It must answer null, or an error on that very field
//     that says that there is none. An empty list or an authorisation error withdraws nothing, and
//     a mass removal waits for a person. Single runs enumerate too, whenever the interval of the
//     schedule has passed.
//   - A price or stock that changes without moving updatedAt is seen by the next sweep, where the
//     marketplace lists the retailer's product variants by the time of their change. A failure of
//     that list stops no other sweep. What was found out about it is asked again after a day, and
//     with a new token. However many variants changed, no new publication waits for them.
//   - An enumeration makes room for a sweep of what changed within seconds, however long its pages
//     wait for points.
//   - No two accounts sweep on the same second because of their schedules.
//   - A page that repeats its cursor, and a list of more than 10,000 pages, end the sweep with an
//     error that says so, and stop no other sweep. A single run ends with its patience, even while
//     pages keep arriving.
//   - An entry of the list without an id or an updatedAt is passed over, counted and logged. It
//     stops no import. A list with an entry without an id proves no absence.
package sweep
