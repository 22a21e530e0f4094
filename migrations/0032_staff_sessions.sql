-- A session of staff: what it was made with, and when its second factor was last shown; null: before this was kept.
ALTER TABLE staff_sessions
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN device text NOT NULL DEFAULT '',
    ADD COLUMN network text NOT NULL DEFAULT '',
    ADD COLUMN proved_at timestamptz,
    ADD CONSTRAINT one_token_per_staff_session UNIQUE (id);
ALTER TABLE staff_sessions ALTER COLUMN device SET STATISTICS 0, ALTER COLUMN network SET STATISTICS 0;

-- The secret of the authenticator that shall replace the present one, sealed; a code of it confirms it.
ALTER TABLE staff_accounts ADD COLUMN totp_next bytea;
