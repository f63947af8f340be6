package store

// SchemaVersion is the version of the tables below.
//
//	1: the first
//	2: the stamp says what outside the tree decided the graph
//	3: the stamp names device and inode of the root
const SchemaVersion = 3

// applicationID marks the file as ours, as bytes "PREV".
const applicationID = 0x50524556

// tables is created before the rows are written, indexes after it.
//
// Symbols are numbered in the order of their IDs from 0, so that an ID is found
// by binary search without an index of its own. Edges lie with the symbol they
// leave and once more with the symbol they reach, each list in one value: a
// million rows cost seconds to write, a hundred thousand lists do not.
const tables = `
CREATE TABLE stamp (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL, blob TEXT NOT NULL, size INTEGER NOT NULL,
  language TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, gaps BLOB NOT NULL, generated INTEGER NOT NULL);
CREATE TABLE symbols (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, name TEXT NOT NULL, detail BLOB NOT NULL);
CREATE TABLE edges_out (id INTEGER PRIMARY KEY, edges BLOB NOT NULL);
CREATE TABLE edges_in (id INTEGER PRIMARY KEY, edges BLOB NOT NULL);
CREATE TABLE unresolved (id INTEGER PRIMARY KEY, items BLOB NOT NULL);
CREATE TABLE counts (language TEXT PRIMARY KEY, compiler INTEGER NOT NULL, exact INTEGER NOT NULL, dispatch INTEGER NOT NULL,
  import INTEGER NOT NULL, name INTEGER NOT NULL, unresolved INTEGER NOT NULL, external INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE caveats (id INTEGER PRIMARY KEY, caveat TEXT NOT NULL, text TEXT NOT NULL, count INTEGER NOT NULL,
  of INTEGER NOT NULL, examples BLOB NOT NULL);
CREATE VIRTUAL TABLE names USING fts5(words, content='', detail='none', tokenize='unicode61 remove_diacritics 0');
`

const indexes = `
CREATE UNIQUE INDEX files_path ON files(path);
CREATE INDEX symbols_name ON symbols(name COLLATE NOCASE);
`
