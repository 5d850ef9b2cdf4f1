// Package discover stands in place of the library by which Vault's nodes find each other in twenty clouds, each with its SDK:
// half of all that Vault is built from. A server that keeps everything in memory looks for no other node.
package discover

import (
	"errors"
	"log"
)

var errLeftOut = errors.New("no node is discovered here")

var Providers = map[string]Provider{}

type Provider interface{}

type Config map[string]string

func (Config) String() string { return "" }

func Parse(string) (Config, error) { return nil, errLeftOut }

type Discover struct{}

func (*Discover) Addrs(string, *log.Logger) ([]string, error) { return nil, errLeftOut }

type Option func(*Discover) error

func WithProviders(map[string]Provider) Option { return nil }

func New(...Option) (*Discover, error) { return &Discover{}, nil }
