package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/transparency-dev/tessera"
	"github.com/transparency-dev/tessera/client"
	"github.com/transparency-dev/tessera/storage/posix"
	"golang.org/x/mod/sumdb/note"
)

// witnessedLog is a log of Tessera's, in a folder. It prints its verifier key and address, reads the verifier key and prefix of
// a witness, and then, line by line, numbers of entries to add. It publishes nothing that the witness has not signed, and
// prints each checkpoint's size.
func witnessedLog(folder, name string) error {
	ctx := context.Background()
	skey, vkey, err := note.GenerateKey(rand.Reader, name)
	if err != nil {
		return err
	}
	signer, err := note.NewSigner(skey)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go http.Serve(listener, http.FileServer(http.Dir(folder)))
	fmt.Printf("%s http://%s\n", vkey, listener.Addr())

	lines := bufio.NewScanner(os.Stdin)
	if !lines.Scan() {
		return errors.New("no witness")
	}
	key, prefix, _ := strings.Cut(lines.Text(), " ")
	root, err := url.Parse(prefix)
	if err != nil {
		return err
	}
	cosigner, err := tessera.NewWitness(key, root)
	if err != nil {
		return err
	}
	driver, err := posix.New(ctx, posix.Config{Path: folder})
	if err != nil {
		return err
	}
	appender, shutdown, reader, err := tessera.NewAppender(ctx, driver, tessera.NewAppendOptions().
		WithCheckpointSigner(signer).
		WithCheckpointInterval(100*time.Millisecond).
		WithBatching(256, 50*time.Millisecond).
		WithWitnesses(tessera.NewWitnessGroup(1, cosigner), nil))
	if err != nil {
		return err
	}
	awaiter := tessera.NewPublicationAwaiter(ctx, reader.ReadCheckpoint, 50*time.Millisecond)
	for added := 0; lines.Scan(); {
		many, err := strconv.Atoi(lines.Text())
		if err != nil {
			return err
		}
		var last tessera.IndexFuture
		for ; many > 0; many-- {
			last = appender.Add(ctx, tessera.NewEntry(fmt.Appendf(nil, "entry %d", added)))
			added++
		}
		if _, err := last(); err != nil {
			return err
		}
		_, checkpoint, err := awaiter.Await(ctx, last)
		if err != nil {
			return err
		}
		if !cosigner.Satisfied(checkpoint) {
			return errors.New("published without the witness")
		}
		fmt.Println(strings.Split(string(checkpoint), "\n")[1])
	}
	return shutdown(ctx)
}

// track follows a log from the checkpoint in a file, which may be empty, to the newest one, which it leaves there.
func track(prefix, vkey, file string) error {
	ctx := context.Background()
	verifier, err := note.NewVerifier(vkey)
	if err != nil {
		return err
	}
	root, err := url.Parse(prefix)
	if err != nil {
		return err
	}
	fetcher, err := client.NewHTTPFetcher(root, nil)
	if err != nil {
		return err
	}
	if token := os.Getenv("TLOG_BEARER"); token != "" {
		fetcher.SetAuthorizationHeader("Bearer " + token)
	}
	known, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	consensus := client.UnilateralConsensus(fetcher.ReadCheckpoint)
	tracker, err := client.NewLogStateTracker(ctx, fetcher.ReadTile, known, verifier, verifier.Name(), consensus)
	if err != nil {
		return err
	}
	_, _, newest, err := tracker.Update(ctx)
	if err != nil {
		return err
	}
	fmt.Println(tracker.Latest().Size)
	return os.WriteFile(file, newest, 0o600)
}
