-- Logins of docker-compose.yml. Made by `npm run generate`: `countersign database-roles`, and passwords for development.
-- The groups that the migration grants rights to. They own nothing and cannot log in.
DO $$ BEGIN CREATE ROLE countersign_gateway NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_request NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_review NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_execution NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_ledger NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_notifier NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_deletion NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_security_log NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE ROLE countersign_queues NOLOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
-- A login for each of them.
DO $$ BEGIN CREATE ROLE gateway LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_gateway TO gateway;
DO $$ BEGIN CREATE ROLE request LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_request TO request;
DO $$ BEGIN CREATE ROLE review LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_review TO review;
DO $$ BEGIN CREATE ROLE execution LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_execution TO execution;
DO $$ BEGIN CREATE ROLE ledger LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_ledger TO ledger;
DO $$ BEGIN CREATE ROLE notifier LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_notifier TO notifier;
DO $$ BEGIN CREATE ROLE deletion LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_deletion TO deletion;
DO $$ BEGIN CREATE ROLE security_log LOGIN NOINHERIT; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
GRANT countersign_security_log TO security_log;
-- Then, in psql, a password for each:
--   \password gateway
--   \password request
--   \password review
--   \password execution
--   \password ledger
--   \password notifier
--   \password deletion
--   \password security_log

ALTER ROLE "gateway" PASSWORD 'gateway';
ALTER ROLE "request" PASSWORD 'request';
ALTER ROLE "review" PASSWORD 'review';
ALTER ROLE "execution" PASSWORD 'execution';
ALTER ROLE "ledger" PASSWORD 'ledger';
ALTER ROLE "notifier" PASSWORD 'notifier';
ALTER ROLE "deletion" PASSWORD 'deletion';
ALTER ROLE "security_log" PASSWORD 'security_log';
