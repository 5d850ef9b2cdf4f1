// Package okta stands in place of the client by which Vault asks Okta for a second factor of a login, with ten thousand
// types of its API. Nothing logs in here.
package okta

import (
	"context"
	"errors"
)

type Configuration struct{ Context context.Context }

type Option func(*Configuration)

func WithToken(string) Option  { return nil }
func WithOrgUrl(string) Option { return nil }
func WithCache(bool) Option    { return nil }

func NewConfiguration(...Option) (*Configuration, error) {
	return nil, errors.New("no login with Okta here")
}

type APIClient struct {
	UserAPI       userAPI
	UserFactorAPI userFactorAPI
}

func NewAPIClient(*Configuration) *APIClient { return nil }
func (*APIClient) GetConfig() *Configuration { return nil }

type call[Answer any] struct{}

func (asked call[Answer]) Filter(string) call[Answer]         { return asked }
func (call[Answer]) Execute() (answer Answer, _ any, _ error) { return }

type userAPI struct{}

func (userAPI) ListUsers(context.Context) (_ call[[]User]) { return }

type userFactorAPI struct{}

func (userFactorAPI) ListFactors(context.Context, string) (_ call[[]Factor]) { return }

func (userFactorAPI) VerifyFactor(context.Context, string, string) (_ call[*Verified]) { return }

func (userFactorAPI) GetFactorTransactionStatus(context.Context, string, string, string) (_ call[*Status]) {
	return
}

type User struct{}

func (User) GetId() string { return "" }

type UserFactorPush struct{}

func (UserFactorPush) GetId() string { return "" }

type Factor struct{ UserFactorPush *UserFactorPush }

type Verified struct{ Links any }

func (Verified) GetFactorResult() string { return "" }

type Status struct {
	UserFactorPushTransaction, UserFactorPushTransactionWaiting         *struct{}
	UserFactorPushTransactionRejected, UserFactorPushTransactionTimeout *struct{}
}
