-- Step-up at a confirmation: when the identity provider last saw the person prove who they are (auth_time), and how (acr).
-- Null for a session whose provider said nothing about it.
ALTER TABLE session
  ADD COLUMN proved_at timestamptz(3),
  ADD COLUMN acr text;
