// Vault itself with nothing but its transit engine, keeping everything in memory: `vault-transit 127.0.0.1:PORT`.
// The core, its seal, tokens and policies, the engine and the HTTP interface are Vault's; only the command around them, with
// its hundreds of plugins, is left out, for it takes ten times as long to build.
package main

import (
	"log"
	"net"
	"net/http"
	"os"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/vault/builtin/logical/transit"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// The one engine there is.
type onlyTransit struct{}

func (onlyTransit) Contains(name string, kind consts.PluginType) bool {
	return name == "transit" && kind == consts.PluginTypeSecrets
}

func (only onlyTransit) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	factory := logical.Factory(transit.Factory)
	return func() (interface{}, error) { return factory, nil }, only.Contains(name, kind)
}

func (onlyTransit) Keys(kind consts.PluginType) []string { return nil }

func (only onlyTransit) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, only.Contains(name, kind)
}

func (onlyTransit) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func main() {
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn})
	store, err := inmem.NewInmem(nil, logger)
	if err != nil {
		log.Fatal(err)
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:        store,
		Logger:          logger,
		DisableMlock:    true,
		BuiltinRegistry: onlyTransit{},
		LogicalBackends: map[string]logical.Factory{"transit": transit.Factory},
	})
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.Serve(listener, vaulthttp.Handler.Handler(&vault.HandlerProperties{
		Core:           core,
		ListenerConfig: &configutil.Listener{Address: "127.0.0.1"},
	})))
}
