-- When the ledger was last compared with the anchor store (R18). A backup that was restored runs on a server that started
-- after that: nothing is claimed or admitted on it until it has been compared again.
ALTER TABLE tenant ADD COLUMN compared_at timestamptz(3);
GRANT UPDATE (compared_at) ON tenant TO countersign_ledger;
