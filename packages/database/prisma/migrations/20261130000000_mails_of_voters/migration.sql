-- Mails about a request that several people decide go to those with a seat in its open stage: who voted, and who is in which group.
GRANT SELECT ON approval, membership TO countersign_notifier;
