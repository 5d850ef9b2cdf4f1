/**
 * SQL that gives the tenant `t` so many requests more, and rows of them in every table that grows with the requests, as
 * far as the planner cares: keys and states, but no texts that anybody could read.
 */
export function growth(requests: number): string {
  return `
  INSERT INTO tenant (tenant, ledger_id, generation, fenced, created_at)
    VALUES ('t', gen_random_uuid(), gen_random_uuid(), false, now()) ON CONFLICT DO NOTHING;
  INSERT INTO ledger_head (tenant, sequence, head) VALUES ('t', 0, '') ON CONFLICT DO NOTHING;
  CREATE TEMP TABLE made AS
    SELECT gen_random_uuid() AS id, gen_random_uuid() AS record_id, n, (SELECT sequence FROM ledger_head) + n AS sequence,
      CASE WHEN n % 2 = 0 THEN 'owner' ELSE 'owner-' || n % 20 END AS owner, 'route-' || n % 5 AS route,
      (ARRAY['pending', 'confirmed', 'confirmed', 'cancelled', 'expired', 'superseded'])[1 + n % 6] AS decision,
      now() - n * interval '1 second' AS at
    FROM generate_series(1, ${requests}) AS n;
  INSERT INTO lifecycle (tenant, request_id, owner, route, decision, audit, grant_state, execution, revision, version,
      accepted_at, review_deadline, private_delete_at, audit_delete_at, receipt_id)
    SELECT 't', id, owner, route, 'pending', 'unanchored', 'none', 'unclaimed', 1, 1,
      at, at + interval '1 day', at, at, record_id FROM made;
  UPDATE lifecycle l SET decision = m.decision FROM made m WHERE l.request_id = m.id;
  INSERT INTO request (tenant, id, owner, route, purpose, summary, digest, canonical, occurrence)
    SELECT 't', id, owner, route, 'review', '', '', '{}', 'o-' || id FROM made;
  INSERT INTO material SELECT 't', id, '{}', '{}', '', 1 FROM made;
  INSERT INTO record SELECT 't', record_id, id, 'RequestChangedEvent', '', at, '{}' FROM made;
  INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
    SELECT 't', gen_random_uuid(), id, 'RequestChangedEvent', '', owner FROM made WHERE n % 10 = 0;
  INSERT INTO ledger_entry SELECT 't', sequence, id, 'DecisionReceipt', '', '', '', record_id, at FROM made;
  INSERT INTO event SELECT 't', owner, sequence, id, record_id FROM made;
  INSERT INTO event_head SELECT 't', owner, max(sequence) FROM made GROUP BY owner
    ON CONFLICT (tenant, owner) DO UPDATE SET sequence = EXCLUDED.sequence;
  INSERT INTO checkpoint (tenant, generation, sequence, previous_sequence, record, created_at, acceptance, applied)
    SELECT 't', t.generation, m.sequence, m.sequence - 1, '{}', at, '{}', true FROM made m, tenant t;
  INSERT INTO idempotency SELECT 't', owner, 'request.create', 'k-' || id, '', 201, '{}', NULL, id, at FROM made;
  INSERT INTO deadline (tenant, request_id, kind, due)
    SELECT 't', id, kind, at + interval '1 day' FROM made, unnest(ARRAY['review', 'private_deletion', 'audit_deletion']) AS kind;
  INSERT INTO candidate SELECT 't', id, 'reviewer-' || n % 3, 1, id, '', '{}', true, at FROM made;
  INSERT INTO assignment SELECT 't', id, id, 'reviewer-' || n % 3, at FROM made;
  INSERT INTO occurrence SELECT 't', owner, 'o-' || id, id, NULL FROM made;
  INSERT INTO execution_identity SELECT 't', owner, 'i-' || id, id FROM made;
  INSERT INTO nonce SELECT 't', id, 'n' FROM made;
  INSERT INTO delivery (tenant, id, request_id, kind, state, created_at, next_at, event_id, recipient)
    SELECT 't', gen_random_uuid(), id, 'smtp', CASE WHEN n % 10 = 0 THEN 'pending' ELSE 'accepted' END, at, at,
      record_id, 'reviewer-' || n % 3 FROM made;
  UPDATE ledger_head SET sequence = (SELECT max(sequence) FROM ledger_entry);
  DROP TABLE made`;
}
