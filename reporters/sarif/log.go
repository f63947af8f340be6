package sarif

// The parts of SARIF 2.1.0 that are written, in the order of the standard.

const (
	schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
	root   = "%SRCROOT%" // what paths are relative to, by the name that all tools use
)

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool        tool            `json:"tool"`
	Invocations []invocation    `json:"invocations"`
	Automation  automation      `json:"automationDetails"`
	Bases       map[string]base `json:"originalUriBaseIds"`
	ColumnKind  string          `json:"columnKind"`
	Results     []result        `json:"results"`
	Properties  properties      `json:"properties"`
}

type tool struct {
	Driver driver `json:"driver"`
}

type driver struct {
	Name           string `json:"name"`
	FullName       string `json:"fullName"`
	Version        string `json:"version"`
	Semantic       string `json:"semanticVersion,omitempty"`
	InformationURI string `json:"informationUri"`
	Rules          []rule `json:"rules"`
	Notifications  []rule `json:"notifications"`
}

// A rule describes one kind of result, or one kind of notification.
type rule struct {
	ID            string          `json:"id"`
	Name          string          `json:"name,omitempty"`
	Short         message         `json:"shortDescription"`
	Full          message         `json:"fullDescription"`
	Help          *help           `json:"help,omitempty"`
	Configuration *configuration  `json:"defaultConfiguration,omitempty"`
	Properties    *ruleProperties `json:"properties,omitempty"`
}

type help struct {
	Text     string `json:"text"`
	Markdown string `json:"markdown"`
}

type configuration struct {
	Level string `json:"level"`
}

type ruleProperties struct {
	Tags      []string `json:"tags"`
	Precision string   `json:"precision"`
	Severity  string   `json:"problem.severity"`
}

type message struct {
	Text string `json:"text"`
}

type invocation struct {
	ExecutionSuccessful bool           `json:"executionSuccessful"`
	Notifications       []notification `json:"toolExecutionNotifications"`
}

type notification struct {
	Descriptor reference `json:"descriptor"`
	Level      string    `json:"level"`
	Message    message   `json:"message"`
}

type reference struct {
	ID    string `json:"id"`
	Index int    `json:"index"`
}

type automation struct {
	ID string `json:"id"`
}

type base struct {
	Description message `json:"description"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      message           `json:"message"`
	Locations    []location        `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
}

type location struct {
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   region   `json:"region"`
}

type artifact struct {
	URI    string `json:"uri"`
	BaseID string `json:"uriBaseId"`
}

type region struct {
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
}

type properties struct {
	Schema      string `json:"reportSchema"`
	Outcome     string `json:"outcome"`
	Repository  string `json:"repository"`
	PullRequest int    `json:"pullRequest"`
	MergeBase   string `json:"mergeBase"`
	Head        string `json:"head"`
	Inputs      string `json:"inputsDigest"`
}
