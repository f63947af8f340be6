package actiontest

// A State is what a hub knows. Its JSON form is what the program in fakehub
// reads and writes.
type State struct {
	RepositoryID int64    `json:"repository_id"`
	Owner        string   `json:"owner"`
	Name         string   `json:"name"`
	Login        string   `json:"login"`  // whose the token is
	Scopes       []string `json:"scopes"` // that the token may write: see the constants

	PullRequests   []PullRequest     `json:"pull_requests"`
	MergeBases     map[string]string `json:"merge_bases"` // "base...head" → commit
	Comments       []Comment         `json:"comments"`
	ReviewComments []ReviewComment   `json:"review_comments"`
	Reviews        int               `json:"reviews"` // posted so far
	CheckRuns      []CheckRun        `json:"check_runs"`
	Analyses       []Analysis        `json:"analyses"`
	Artifacts      []Artifact        `json:"artifacts"`
	Faults         []Fault           `json:"faults"`

	LastID int64 `json:"last_id"`
}

// The scopes of a token.
const (
	PullRequestsScope   = "pull-requests"
	ChecksScope         = "checks"
	SecurityEventsScope = "security-events"
)

// A PullRequest is one pull request.
type PullRequest struct {
	Number     int    `json:"number"`
	Closed     bool   `json:"closed"`
	Head       string `json:"head"`
	HeadRepoID int64  `json:"head_repo_id"` // 0: the fork is deleted
	Base       string `json:"base"`
	BaseRef    string `json:"base_ref"`
	Files      []File `json:"files"`
}

// A File is a changed file of a pull request.
type File struct {
	Path  string `json:"path"`
	Patch string `json:"patch"` // "" if it is too large to be shown
}

// A Comment is a comment of a conversation.
type Comment struct {
	ID     int64  `json:"id"`
	Number int    `json:"number"` // of the pull request
	Login  string `json:"login"`
	Type   string `json:"type"` // "Bot", "User"
	Body   string `json:"body"`
	Edits  int    `json:"edits"`
}

// A ReviewComment is a comment beside a line, or beside a file.
type ReviewComment struct {
	ID     int64  `json:"id"`
	Number int    `json:"number"`
	Login  string `json:"login"`
	Type   string `json:"type"`
	Path   string `json:"path"`
	Line   int    `json:"line"` // 0: the file
	Body   string `json:"body"`
}

// A CheckRun is a check run on a commit.
type CheckRun struct {
	ID          int64        `json:"id"`
	Head        string       `json:"head"`
	Name        string       `json:"name"`
	ExternalID  string       `json:"external_id"`
	App         string       `json:"app"` // its slug
	Status      string       `json:"status"`
	Conclusion  string       `json:"conclusion"`
	Title       string       `json:"title"`
	Summary     string       `json:"summary"`
	Annotations []Annotation `json:"annotations"`
}

// An Annotation is one annotation of a check run.
type Annotation struct {
	Path      string `json:"path"`
	StartLine int    `json:"start_line"`
	EndLine   int    `json:"end_line"`
	Level     string `json:"annotation_level"`
	Title     string `json:"title"`
	Message   string `json:"message"`
}

// An Analysis is an upload of SARIF.
type Analysis struct {
	ID    string `json:"id"`
	Head  string `json:"head"`
	Ref   string `json:"ref"`
	SARIF string `json:"sarif"`
	Tool  string `json:"tool"`
}

// An Artifact is what a run uploaded.
type Artifact struct {
	ID      int64  `json:"id"`
	RunID   int64  `json:"run_id"`
	Name    string `json:"name"`
	Zip     []byte `json:"zip"`
	Expired bool   `json:"expired"`
}

// A Fault is an answer that is given instead of the right one.
type Fault struct {
	Method string            `json:"method"`
	Path   string            `json:"path"`  // a part of the path
	Times  int               `json:"times"` // 0: always
	Status int               `json:"status"`
	Header map[string]string `json:"header"`
	Body   string            `json:"body"`
	Late   bool              `json:"late"` // what was asked is done all the same
}

// A Request is one request that came in.
type Request struct {
	Method        string `json:"method"`
	Path          string `json:"path"` // with its query
	Body          string `json:"body"`
	Authorization string `json:"authorization"`
}
