// Vault itself with nothing but its transit engine and its login by Kubernetes, keeping everything in memory:
// `vault-parts 127.0.0.1:PORT`.
// The core, its seal, tokens and policies, the engine and the HTTP interface are Vault's; only the command around them, with
// its hundreds of plugins, is left out, for it takes ten times as long to build.
package main

import (
	"log"
	"net"
	"net/http"
	"os"

	"github.com/hashicorp/go-hclog"
	kubernetes "github.com/hashicorp/vault-plugin-auth-kubernetes"
	"github.com/hashicorp/vault/builtin/logical/transit"
	vaulthttp "github.com/hashicorp/vault/http"
	"github.com/hashicorp/vault/internalshared/configutil"
	"github.com/hashicorp/vault/sdk/helper/consts"
	"github.com/hashicorp/vault/sdk/logical"
	"github.com/hashicorp/vault/sdk/physical/inmem"
	"github.com/hashicorp/vault/vault"
)

// All there is.
var parts = map[string]struct {
	kind    consts.PluginType
	factory logical.Factory
}{
	"transit":    {consts.PluginTypeSecrets, transit.Factory},
	"kubernetes": {consts.PluginTypeCredential, kubernetes.Factory},
}

type registry struct{}

func (registry) Contains(name string, kind consts.PluginType) bool {
	part, found := parts[name]
	return found && part.kind == kind
}

func (all registry) Get(name string, kind consts.PluginType) (func() (interface{}, error), bool) {
	factory := parts[name].factory
	return func() (interface{}, error) { return factory, nil }, all.Contains(name, kind)
}

func (registry) Keys(consts.PluginType) []string { return nil }

func (all registry) DeprecationStatus(name string, kind consts.PluginType) (consts.DeprecationStatus, bool) {
	return consts.Supported, all.Contains(name, kind)
}

func (registry) IsBuiltinEntPlugin(string, consts.PluginType) bool { return false }

func main() {
	logger := hclog.New(&hclog.LoggerOptions{Level: hclog.Warn})
	store, err := inmem.NewInmem(nil, logger)
	if err != nil {
		log.Fatal(err)
	}
	core, err := vault.NewCore(&vault.CoreConfig{
		Physical:           store,
		Logger:             logger,
		DisableMlock:       true,
		BuiltinRegistry:    registry{},
		LogicalBackends:    map[string]logical.Factory{"transit": transit.Factory},
		CredentialBackends: map[string]logical.Factory{"kubernetes": kubernetes.Factory},
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
