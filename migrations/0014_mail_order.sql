-- Letters that no event called for go first: somebody waits for a code or a link.
DROP INDEX mail_jobs_due;
CREATE INDEX mail_jobs_due ON mail_jobs ((stream IS NOT NULL), due_at) WHERE dead_at IS NULL;
