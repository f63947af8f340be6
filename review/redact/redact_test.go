package redact

import (
	"strings"
	"testing"
)

// Put together here, so that no scanner takes this file for a leak.
var letters = strings.Repeat("aB3dE6gH9jK2", 8)

func TestSecretsAreWrittenOverAndCounted(t *testing.T) {
	for name, c := range map[string]struct {
		text, want string
		n          int
	}{
		"nothing":                {"client.Send(retry, 3)", "client.Send(retry, 3)", 0},
		"a token alone":          {"use gh" + "p_" + letters[:36] + " here", "use [redacted] here", 1},
		"a fine-grained token":   {"github" + "_pat_" + letters[:40], "[redacted]", 1},
		"of another forge":       {"gl" + "pat-" + letters[:20], "[redacted]", 1},
		"of a model provider":    {"sk" + "-ant-" + letters[:30], "[redacted]", 1},
		"two of them":            {"AK" + "IA" + strings.ToUpper(letters[:16]) + ", xox" + "b-1234567890-abc", "[redacted], [redacted]", 2},
		"a value that is named":  {`apiKey = "s3cr3t-value"`, `apiKey = "[redacted]"`, 1},
		"a field":                {`"db_password": "hunter2hunter2",`, `"db_password": "[redacted]",`, 1},
		"a password in a URL":    {"post" + "gres://app:hunter2@db/x", "postgres://app:[redacted]@db/x", 1},
		"a key over lines":       {"a\n-----BEGIN RSA PRIVATE " + "KEY-----\nMII\nxyz\n-----END RSA PRIVATE KEY-----\nb", "a\n[redacted]\n\n\n\nb", 1},
		"a key that is cut off":  {"-----BEGIN PRIVATE " + "KEY-----\nMII", "[redacted]\n", 1},
		"a variable of the name": {"password = os.Getenv(name)", "password = os.Getenv(name)", 0},
		"a short value":          {`secret = "x"`, `secret = "x"`, 0},
		"a hash":                 {strings.Repeat("0f", 20), strings.Repeat("0f", 20), 0},
		"a web token":            {"Bearer ey" + "J" + letters[:12] + ".ey" + "J" + letters[:12] + "." + letters[:12], "Bearer [redacted]", 1},
	} {
		if got, n := Secrets(c.text); got != c.want || n != c.n {
			t.Errorf("%s: %q with %d, want %q with %d", name, got, n, c.want, c.n)
		}
	}
}

func FuzzSecrets(f *testing.F) {
	f.Add(`token: "` + letters + `"`)
	f.Fuzz(func(t *testing.T, text string) {
		once, n := Secrets(text)
		if n == 0 && once != text {
			t.Errorf("%q became %q without a finding", text, once)
		}
	})
}
