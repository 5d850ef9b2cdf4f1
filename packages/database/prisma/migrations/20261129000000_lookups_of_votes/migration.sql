-- To a planner that knows no figures yet these two look as good as the index by request, and a lookup of a request's votes then
-- reads all votes of its tenant. The conditions keep them for the lookups that they are made for. No release has made a row yet.
DROP INDEX approval_statement;
DROP INDEX approval_reviewer;
CREATE UNIQUE INDEX approval_statement ON approval (tenant, statement_digest) WHERE statement_digest IS NOT NULL;
CREATE INDEX approval_reviewer ON approval (tenant, reviewer, approved_at) WHERE reviewer <> '';
