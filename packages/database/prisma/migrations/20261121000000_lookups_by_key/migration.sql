-- To a planner that knows no figures yet these indexes look as good as the primary key, and a request's lookup then reads
-- all entries of its tenant. Lists, and nothing else, say that the decision is not empty, which it never is: to whoever
-- does not say so the indexes are of no use.
DROP INDEX lifecycle_tenant_newest;
DROP INDEX lifecycle_owner_newest;
DROP INDEX lifecycle_route_newest;
CREATE INDEX lifecycle_tenant_newest ON lifecycle (tenant, decision, accepted_at DESC, request_id) WHERE decision <> '';
CREATE INDEX lifecycle_owner_newest ON lifecycle (tenant, owner, decision, accepted_at DESC, request_id) WHERE decision <> '';
CREATE INDEX lifecycle_route_newest ON lifecycle (tenant, route, decision, accepted_at DESC, request_id) WHERE decision <> '';
