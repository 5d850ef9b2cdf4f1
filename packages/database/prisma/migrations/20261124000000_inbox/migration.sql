-- The inbox of a reviewer: what waits on a route by its deadline, and what was decided there by the time of the decision,
-- in whose order the ids of receipts are. Only statements that say `starts_with` use the first: quotas count in their own.
CREATE INDEX lifecycle_route_due ON lifecycle (tenant, route, review_deadline, request_id) WHERE starts_with(decision, 'pending');
CREATE INDEX lifecycle_route_decided ON lifecycle (tenant, route, receipt_id) WHERE receipt_id IS NOT NULL;
