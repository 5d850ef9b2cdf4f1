-- A Merkle tree (RFC 9162) over the record digests of each ledger, beside its chain, for logs' own tools. It follows the
-- anchored part of the ledger, so what writes the chain knows nothing of it.

-- Who may read a ledger's tree beside its operators: nobody; nobody, but witnesses are sent its checkpoints; everybody.
ALTER TABLE tenant ADD COLUMN tree_access text NOT NULL DEFAULT 'operators'
  CHECK (tree_access IN ('operators', 'witnesses', 'public'));

-- How many entries the tiles hold: who moves it wrote them, and it moves once.
CREATE TABLE tree (
  tenant text PRIMARY KEY,
  size bigint NOT NULL
) WITH (fillfactor = 50);

-- Up to 256 hashes of 32 bytes each (c2sp.org/tlog-tiles); a full tile never changes.
CREATE TABLE tree_tile (
  tenant text NOT NULL,
  level smallint NOT NULL,
  index bigint NOT NULL,
  hashes bytea NOT NULL CHECK (length(hashes) BETWEEN 32 AND 8192 AND length(hashes) % 32 = 0),
  PRIMARY KEY (tenant, level, index)
) WITH (fillfactor = 50);
-- Hashes do not compress.
ALTER TABLE tree_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;

-- Checkpoints of the tree as they were signed. A generation is a log of its own: its sizes only grow.
CREATE TABLE tree_head (
  tenant text NOT NULL,
  generation uuid NOT NULL,
  size bigint NOT NULL,
  note text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, generation, size)
);

-- What witnesses have signed of them: the line of the signature.
CREATE TABLE tree_cosignature (
  tenant text NOT NULL,
  generation uuid NOT NULL,
  size bigint NOT NULL,
  witness text NOT NULL,
  key_id text NOT NULL,
  line text NOT NULL,
  cosigned_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, generation, size, witness, key_id)
);
-- What each witness has signed last.
CREATE INDEX tree_cosignature_newest ON tree_cosignature (tenant, generation, witness, key_id, size);

GRANT SELECT, INSERT, UPDATE (size) ON tree TO countersign_ledger;
GRANT SELECT, INSERT, UPDATE (hashes) ON tree_tile TO countersign_ledger;
GRANT SELECT, INSERT ON tree_head, tree_cosignature TO countersign_ledger;
