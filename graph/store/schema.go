package store

// SchemaVersion is the version of the tables below and of the body after them.
//
//	1: the first
//	2: the stamp says what outside the tree decided the graph
//	3: the stamp names device and inode of the root
//	4: symbols, edges and names lie in the body
//	5: the totals count Go files without types
const SchemaVersion = 5

// applicationID marks the file as ours, as bytes "PREV".
const applicationID = 0x50524556

// tables is created before the rows are written, indexes after it. They hold what
// there is a little of; symbols and edges lie in the body.
const tables = `
CREATE TABLE stamp (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE totals (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
  language TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, gaps BLOB NOT NULL, generated INTEGER NOT NULL);
CREATE TABLE unresolved (id INTEGER PRIMARY KEY, items BLOB NOT NULL);
CREATE TABLE counts (language TEXT PRIMARY KEY, compiler INTEGER NOT NULL, exact INTEGER NOT NULL, dispatch INTEGER NOT NULL,
  import INTEGER NOT NULL, name INTEGER NOT NULL, unresolved INTEGER NOT NULL, external INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE caveats (id INTEGER PRIMARY KEY, caveat TEXT NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL,
  of INTEGER NOT NULL, examples BLOB NOT NULL);
`

const indexes = `
CREATE UNIQUE INDEX files_path ON files(path);
`
