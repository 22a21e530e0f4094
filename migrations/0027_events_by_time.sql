-- Events by the time they were recorded, to find what the log was at a time without reading all that came after. The times ascend
-- nearly as the pages do, so an index of a few bytes for some pages each does.
CREATE INDEX events_by_time ON eventstore.events USING brin (recorded_at) WITH (pages_per_range = 32, autosummarize = on);
