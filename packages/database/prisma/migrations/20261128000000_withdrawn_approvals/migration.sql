-- A person who takes a counted vote back takes the unused authority away (protocol §18.4). That mark, and no other, is review's.
GRANT UPDATE (invalidated) ON lifecycle TO countersign_review;
CREATE POLICY lifecycle_marked_by_review ON lifecycle AS RESTRICTIVE FOR UPDATE TO countersign_review
  USING (true) WITH CHECK (invalidated IS NULL OR invalidated = 'approval_withdrawn');
