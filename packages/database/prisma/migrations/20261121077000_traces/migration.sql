-- To which trace a record belongs, so that what becomes of it later, in other processes, belongs there too. Rows are there
-- only of sampled calls and only while tracing is on, are noted before the record is committed, and live for a day. Losing
-- them loses no fact.
CREATE UNLOGGED TABLE trace (
  tenant text NOT NULL,
  record_id uuid NOT NULL,
  traceparent text NOT NULL CHECK (traceparent ~ '^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$'),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, record_id)
);
CREATE INDEX trace_age ON trace (created_at);

GRANT INSERT ON trace TO countersign_request, countersign_review, countersign_execution, countersign_ledger,
  countersign_notifier;
GRANT SELECT ON trace TO countersign_ledger, countersign_notifier;
GRANT SELECT, DELETE ON trace TO countersign_deletion;
