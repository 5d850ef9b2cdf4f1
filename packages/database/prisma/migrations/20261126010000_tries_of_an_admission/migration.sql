-- The call that spent a nonce, and its admission: a further try of the same call, whose first answer was lost on the bus, gets
-- that admission again. Null for nonces of the release before.
ALTER TABLE nonce ADD COLUMN call uuid, ADD COLUMN record_id uuid;
