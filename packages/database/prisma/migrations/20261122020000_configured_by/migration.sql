-- Which person set each part of a directory entry (contract R38): name of the part -> principal id of a human. A part that
-- is not named was set by no person: by a bearer operator, or before this release. The release before writes its changes
-- without this column, so what a person changes through one of its processes is not remembered.
ALTER TABLE principal ADD COLUMN configured_by jsonb NOT NULL DEFAULT '{}';
ALTER TABLE route ADD COLUMN configured_by jsonb NOT NULL DEFAULT '{}';
