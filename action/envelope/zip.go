package envelope

import (
	"archive/zip"
	"bytes"
	"fmt"
)

// The limits of an artifact. One that this program wrote stays far from them:
// deflate makes JSON about ten times smaller.
const (
	ZipLimit = 5_000_000 // bytes, packed
	maxRatio = 200       // unpacked by packed bytes
)

// ReadZip takes the envelope out of an artifact. The archive must hold exactly
// one entry, called [FileName], of at most [Limit] bytes; nothing is written to
// a disk, so no name in it can lead anywhere.
func ReadZip(archive []byte) (*Envelope, error) {
	if len(archive) > ZipLimit {
		return nil, fmt.Errorf("%w: archive of %d bytes, limit %d", ErrTooLarge, len(archive), ZipLimit)
	}
	z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if len(z.File) != 1 {
		return nil, fmt.Errorf("%w: %d entries in the archive, want one", ErrMalformed, len(z.File))
	}
	f := z.File[0]
	if f.Name != FileName || !f.Mode().IsRegular() {
		return nil, fmt.Errorf("%w: entry %.80q in the archive, want the file %s", ErrMalformed, f.Name, FileName)
	}
	// The sizes in the archive are claims too. They only refuse early; Read
	// counts what comes out.
	if f.UncompressedSize64 > Limit || f.UncompressedSize64 > maxRatio*max(f.CompressedSize64, 1) {
		return nil, fmt.Errorf("%w: %d bytes packed into %d", ErrTooLarge, f.UncompressedSize64, f.CompressedSize64)
	}
	content, err := f.Open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	defer content.Close()
	return Read(content)
}
