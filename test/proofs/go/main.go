// Checks a served log with golang.org/x/mod/sumdb, which knows nothing of Varve: its checkpoints, each of its tiles and
// entries, proofs of versions, and proofs that it only grew. Arguments: the URL of the log, its public key, and a folder with
// files *.checkpoint (in the order of their names), *.tlog-proof and *.refused.
package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

type head struct {
	size int64
	root tlog.Hash
}

var (
	base     string
	verifier note.Verifier
)

func main() {
	log.SetFlags(0)
	base = os.Args[1]
	var err error
	if verifier, err = note.NewVerifier(os.Args[2]); err != nil {
		log.Fatalf("the key: %v", err)
	}
	checkpoint := open(get("checkpoint"))
	tree := tlog.Tree{N: checkpoint.size, Hash: checkpoint.root}
	reader := tlog.TileHashReader(tree, tiles{})
	checkEntries(tree, reader)
	proofs := checkProofs(os.Args[3])
	refused := checkRefused(os.Args[3])
	heads := checkGrowth(os.Args[3], reader)
	fmt.Printf("%d entries, %d proofs, %d changed proofs, %d checkpoints: everything agrees.\n", tree.N, proofs, refused, heads)
}

// open checks the signature of a checkpoint, and reads it.
func open(text []byte) head {
	signed, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		log.Fatalf("a checkpoint: %v", err)
	}
	found, err := parse(signed.Text)
	if err != nil {
		log.Fatalf("a checkpoint: %v", err)
	}
	return found
}

func parse(text string) (head, error) {
	lines := strings.Split(text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return head{}, fmt.Errorf("no checkpoint of %s", verifier.Name())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return head{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return head{size, root}, err
}

type tiles struct{}

func (tiles) Height() int                     { return 8 }
func (tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func (tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	var data [][]byte
	for _, tile := range wanted {
		// C2SP tlog-tiles has tiles of one height, and leaves it out.
		data = append(data, get("tile/"+strings.TrimPrefix(tile.Path(), "tile/8/")))
	}
	return data, nil
}

func get(path string) []byte {
	answer, err := http.Get(base + path)
	if err != nil {
		log.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != 200 {
		log.Fatalf("GET %s: %s %v", path, answer.Status, err)
	}
	return body
}

// checkEntries proves each entry to the root, by tiles whose hashes are proven too.
func checkEntries(tree tlog.Tree, reader tlog.HashReader) {
	for index := int64(0); index < tree.N; {
		width := min(256, tree.N-index)
		tile := tlog.Tile{H: 8, L: -1, N: index / 256, W: int(width)}
		bundle := get("tile/entries/" + strings.TrimPrefix(tile.Path(), "tile/8/data/"))
		for range width {
			length := int(binary.BigEndian.Uint16(bundle))
			entry := bundle[2 : 2+length]
			bundle = bundle[2+length:]
			path, err := tlog.ProveRecord(tree.N, index, reader)
			if err == nil {
				err = tlog.CheckRecord(path, tree.N, tree.Hash, index, tlog.RecordHash(entry))
			}
			if err != nil || length != 32 {
				log.Fatalf("entry %d of %d bytes: %v", index, length, err)
			}
			index++
		}
		if len(bundle) != 0 {
			log.Fatalf("%d bytes after the entries before %d", len(bundle), index)
		}
	}
}

func files(folder, kind string) (texts [][]byte) {
	names, err := filepath.Glob(filepath.Join(folder, "*."+kind))
	if err != nil || len(names) == 0 {
		log.Fatalf("no files *.%s: %v", kind, err)
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			log.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

func checkProofs(folder string) int {
	proofs := files(folder, "tlog-proof")
	for i, text := range proofs {
		if err := check(text); err != nil {
			log.Fatalf("proof %d: %v", i, err)
		}
	}
	return len(proofs)
}

func checkRefused(folder string) int {
	changed := files(folder, "refused")
	for i, text := range changed {
		if check(text) == nil {
			log.Fatalf("changed proof %d is accepted:\n%s", i, text)
		}
	}
	return len(changed)
}

// check reads a C2SP tlog-proof whose extra data are the bytes of the event.
func check(text []byte) error {
	before, checkpoint, found := bytes.Cut(text, []byte("\n\n"))
	lines := strings.Split(string(before), "\n")
	if !found || len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return fmt.Errorf("no proof")
	}
	event, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil {
		return err
	}
	index, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		return err
	}
	var path tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return err
		}
		path = append(path, hash)
	}
	signed, err := note.Open(checkpoint, note.VerifierList(verifier))
	if err != nil {
		return err
	}
	head, err := parse(signed.Text)
	if err != nil {
		return err
	}
	entry := sha256.Sum256(event)
	return tlog.CheckRecord(path, head.size, head.root, index, tlog.RecordHash(entry[:]))
}

// checkGrowth proves that each checkpoint begins with the one before.
func checkGrowth(folder string, reader tlog.HashReader) int {
	checkpoints := files(folder, "checkpoint")
	var before head
	for i, text := range checkpoints {
		now := open(text)
		root, err := tlog.TreeHash(now.size, reader)
		if err != nil || root != now.root {
			log.Fatalf("checkpoint %d: root %v, not %v: %v", i, now.root, root, err)
		}
		if i > 0 {
			proof, err := tlog.ProveTree(now.size, before.size, reader)
			if err == nil {
				err = tlog.CheckTree(proof, now.size, now.root, before.size, before.root)
			}
			if err != nil {
				log.Fatalf("checkpoint %d: %v", i, err)
			}
		}
		before = now
	}
	return len(checkpoints)
}
