// Checks a ledger's tree with other people's code: golang.org/x/mod/sumdb and github.com/transparency-dev, which know
// nothing of Countersign. Nothing here is shared with the product.
//
//	tlog follow PREFIX VKEY [OLD-SIZE OLD-ROOT]   reads checkpoint, tiles and entry bundles of a log over HTTP;
//	                                              TLOG_BEARER is sent as a bearer token, TLOG_COSIGNERS are verifier
//	                                              keys of witnesses that must have signed, with commas
//	tlog proof FILE VKEY DIGEST                   checks a tlog-proof of the record with this hexadecimal digest
//	tlog witness NAME ORIGIN VKEY                 is a witness of one log, on a port of its own, until its input ends
//	tlog track PREFIX VKEY FILE                   follows a log with Tessera's client from the checkpoint in the file
//	tlog log FOLDER NAME                          is a log of Tessera's that publishes only what a witness has signed
package main

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"

	"github.com/transparency-dev/formats/log"
	formats "github.com/transparency-dev/formats/note"
	tlogproof "github.com/transparency-dev/formats/proof"
	"github.com/transparency-dev/merkle/proof"
	"github.com/transparency-dev/merkle/rfc6962"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tlog:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "follow":
		return follow(args[1], args[2], 0, "")
	case len(args) == 5 && args[0] == "follow":
		size, err := strconv.ParseInt(args[3], 10, 64)
		if err != nil {
			return err
		}
		return follow(args[1], args[2], size, args[4])
	case len(args) == 4 && args[0] == "proof":
		return checkProof(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "witness":
		return witness(args[1], args[2], args[3])
	case len(args) == 4 && args[0] == "track":
		return track(args[1], args[2], args[3])
	case len(args) == 3 && args[0] == "log":
		return witnessedLog(args[1], args[2])
	}
	return errors.New("wrong arguments")
}

// reader gets tiles as c2sp.org/tlog-tiles names them.
type reader struct{ prefix string }

func (r reader) get(path string) ([]byte, error) {
	request, err := http.NewRequest("GET", r.prefix+"/"+path, nil)
	if err != nil {
		return nil, err
	}
	if token := os.Getenv("TLOG_BEARER"); token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != 200 {
		return nil, fmt.Errorf("%s: %s", path, response.Status)
	}
	return io.ReadAll(response.Body)
}

func (r reader) Height() int { return 8 }

func (r reader) ReadTiles(tiles []tlog.Tile) ([][]byte, error) {
	var all [][]byte
	for _, tile := range tiles {
		// The Go checksum database writes the height into the path.
		data, err := r.get("tile/" + strings.TrimPrefix(tile.Path(), "tile/8/"))
		if err != nil {
			return nil, err
		}
		all = append(all, data)
	}
	return all, nil
}

func (r reader) SaveTiles([]tlog.Tile, [][]byte) {}

func follow(prefix, vkey string, oldSize int64, oldRoot string) error {
	r := reader{strings.TrimSuffix(prefix, "/")}
	logVerifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	text, err := r.get("checkpoint")
	if err != nil {
		return err
	}
	var cosigners []note.Verifier
	for _, key := range strings.Split(os.Getenv("TLOG_COSIGNERS"), ",") {
		if key == "" {
			continue
		}
		cosigner, err := formats.NewVerifierForCosignatureV1(key)
		if err != nil {
			return err
		}
		cosigners = append(cosigners, cosigner)
	}
	checkpoint, _, signed, err := log.ParseCheckpoint(text, logVerifier.Name(), logVerifier, cosigners...)
	if err != nil {
		return err
	}
	if len(signed.Sigs) != 1+len(cosigners) {
		return fmt.Errorf("%d of %d signatures", len(signed.Sigs), 1+len(cosigners))
	}
	tree := tlog.Tree{N: int64(checkpoint.Size), Hash: tlog.Hash(checkpoint.Hash)}
	// Verifies every tile that it reads against the root.
	hashes := tlog.TileHashReader(tree, r)
	root, err := tlog.TreeHash(tree.N, hashes)
	if err != nil {
		return err
	}
	if root != tree.Hash {
		return errors.New("the root is not that of the tiles")
	}
	entries, err := r.entries(tree.N)
	if err != nil {
		return err
	}
	for at, entry := range entries {
		path, err := tlog.ProveRecord(tree.N, int64(at), hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(path, tree.N, tree.Hash, int64(at), tlog.RecordHash(entry)); err != nil {
			return fmt.Errorf("entry %d: %w", at, err)
		}
	}
	if oldSize > 0 {
		hash, err := tlog.ParseHash(oldRoot)
		if err != nil {
			return err
		}
		path, err := tlog.ProveTree(tree.N, oldSize, hashes)
		if err != nil {
			return err
		}
		if err := tlog.CheckTree(path, tree.N, tree.Hash, oldSize, hash); err != nil {
			return err
		}
	}
	fmt.Println(tree.N, tree.Hash)
	for _, entry := range entries {
		fmt.Println(hex.EncodeToString(entry))
	}
	return nil
}

func (r reader) entries(size int64) ([][]byte, error) {
	var all [][]byte
	for n := int64(0); n*256 < size; n++ {
		width := int(min(256, size-n*256))
		data, err := r.get("tile/entries/" + strings.TrimPrefix(tlog.Tile{H: 8, L: 0, N: n, W: width}.Path(), "tile/8/0/"))
		if err != nil {
			return nil, err
		}
		for ; width > 0; width-- {
			if len(data) < 2 || len(data) < 2+int(binary.BigEndian.Uint16(data)) {
				return nil, fmt.Errorf("bundle %d is cut short", n)
			}
			end := 2 + int(binary.BigEndian.Uint16(data))
			all = append(all, data[2:end])
			data = data[end:]
		}
		if len(data) > 0 {
			return nil, fmt.Errorf("bundle %d is too long", n)
		}
	}
	return all, nil
}

func checkProof(file, vkey, digest string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	logVerifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	var found tlogproof.TLogProof
	if err := found.Unmarshal(text); err != nil {
		return err
	}
	checkpoint, _, _, err := log.ParseCheckpoint(found.Checkpoint, logVerifier.Name(), logVerifier)
	if err != nil {
		return err
	}
	entry, err := hex.DecodeString(digest)
	if err != nil {
		return err
	}
	var path [][]byte
	for _, hash := range found.Hashes {
		path = append(path, hash[:])
	}
	leaf := rfc6962.DefaultHasher.HashLeaf(entry)
	err = proof.VerifyInclusion(rfc6962.DefaultHasher, found.Index, checkpoint.Size, leaf, path, checkpoint.Hash)
	if err != nil {
		return err
	}
	fmt.Println(found.Index, checkpoint.Size)
	return nil
}

// witness is one of c2sp.org/tlog-witness. It remembers what it signed as long as it runs.
func witness(name, origin, vkey string) error {
	logVerifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	skey, plain, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return err
	}
	signer, err := formats.NewSignerForCosignatureV1(skey)
	if err != nil {
		return err
	}
	own, err := formats.VKeyToCosignatureV1(plain)
	if err != nil {
		return err
	}
	var lock sync.Mutex
	var size uint64
	var root []byte
	add := func(w http.ResponseWriter, body string) (int, string) {
		head, text, found := strings.Cut(body, "\n\n")
		lines := strings.Split(head, "\n")
		old, err := strconv.ParseUint(strings.TrimPrefix(lines[0], "old "), 10, 64)
		if !found || err != nil {
			return 400, "malformed"
		}
		var path [][]byte
		for _, line := range lines[1:] {
			hash, err := base64.StdEncoding.DecodeString(line)
			if err != nil {
				return 400, "malformed"
			}
			path = append(path, hash)
		}
		if !strings.HasPrefix(text, origin+"\n") {
			return 404, "unknown origin"
		}
		checkpoint, _, signed, err := log.ParseCheckpoint([]byte(text), origin, logVerifier)
		if err != nil {
			return 403, err.Error()
		}
		lock.Lock()
		defer lock.Unlock()
		if old > checkpoint.Size {
			return 400, "old is larger"
		}
		if old != size {
			w.Header().Set("Content-Type", "text/x.tlog.size")
			return 409, fmt.Sprintf("%d\n", size)
		}
		if old > 0 {
			err := proof.VerifyConsistency(rfc6962.DefaultHasher, old, checkpoint.Size, path, root, checkpoint.Hash)
			if err != nil {
				return 422, err.Error()
			}
		} else if len(path) > 0 {
			return 422, "a proof from nothing"
		}
		signed.Sigs, signed.UnverifiedSigs = nil, nil
		cosigned, err := note.Sign(signed, signer)
		if err != nil {
			return 500, err.Error()
		}
		size, root = checkpoint.Size, checkpoint.Hash
		_, lineText, _ := strings.Cut(string(cosigned), "\n\n")
		return 200, lineText
	}
	http.HandleFunc("POST /add-checkpoint", func(w http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, request.Body, 1<<20))
		if err != nil {
			return
		}
		status, answer := add(w, string(body))
		w.WriteHeader(status)
		io.WriteString(w, answer)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("%s http://%s\n", own, listener.Addr())
	go http.Serve(listener, nil)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}
