-- The owner's requests of one occurrence, newest first: a list that is asked for by `occurrence`. Only executions have one.
CREATE INDEX request_occurrence ON request (tenant, owner, occurrence, id) WHERE occurrence IS NOT NULL;
