package factcache

import (
	"bytes"
	"context"
)

// What linkers keep lies beside the facts, under the same rules: sealed with its
// key, and dropped when it was not used for longest.

// partKey is the key of what a linker keeps; key digests all that decides it.
func partKey(key string) Key { return Key{Blob: key, Language: "link"} }

// Recall returns what linkers have kept under some of the keys.
func (c *Cache) Recall(ctx context.Context, keys []string) (map[string][]byte, error) {
	wanted := make([]Key, len(keys))
	for i, k := range keys {
		wanted[i] = partKey(k)
	}
	found := make(map[string][]byte, len(keys))
	err := c.each(ctx, wanted, func(k Key, data []byte) bool {
		found[k.Blob] = bytes.Clone(data)
		return true
	})
	return found, err
}

// Keep keeps what a linker found out.
func (c *Cache) Keep(ctx context.Context, parts map[string][]byte) error {
	if len(parts) == 0 {
		return nil
	}
	rows := make([]row, 0, len(parts))
	for k, data := range parts {
		key := partKey(k)
		rows = append(rows, row{key.row(), seal(key, data)})
	}
	return c.put(ctx, rows)
}
