-- Statistics would keep a sample of the hashes of guests' e-mails and phones after their rows are gone. To name the type drops
-- those there are.
ALTER TABLE guest_orders ALTER COLUMN email TYPE bytea, ALTER COLUMN email SET STATISTICS 0;
ALTER TABLE eventstore.claims ALTER COLUMN quota TYPE bytea, ALTER COLUMN quota SET STATISTICS 0;
ALTER TABLE mail_paces ALTER COLUMN address TYPE bytea, ALTER COLUMN address SET STATISTICS 0;
