-- Which requests somebody has answered: asked when a person is disabled. An index of `lifecycle` that told the same would
-- cost every transition an entry in each of its indexes.
-- The condition, which is always true, keeps it from being taken for anything else.
CREATE INDEX candidate_reviewer ON candidate (tenant, reviewer, created_at) WHERE reviewer <> '';
