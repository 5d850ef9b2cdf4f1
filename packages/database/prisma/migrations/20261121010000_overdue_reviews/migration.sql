-- A list of what is expired also has the reviews whose time has come and whose expiry nobody has written yet. There are
-- few of them at a time, and by this index they are found without reading all that is pending. LIKE is a way to say so
-- that nobody else uses: neither can another statement be given this index, which knows no owners, nor this statement an
-- index that knows no deadlines.
CREATE INDEX lifecycle_overdue ON lifecycle (tenant, review_deadline) WHERE decision LIKE 'pending';
