-- Erasures of persons whose last event the live read models may not have folded yet. A read model that is replaced before
-- it has is not kept.
CREATE TABLE projections.erasures (
    stream   text        NOT NULL,
    type     text        NOT NULL,
    began_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT an_erasure_has_one_row PRIMARY KEY (stream, type)
);

-- Reports of differences masked no columns of accounts until now.
UPDATE projections.builds SET report = report - 'sample' WHERE projection = 'customer' AND report ? 'sample';

-- Statistics would keep a sample of the keys, and of addresses at the bank, after their rows have lost them. To name the type
-- drops those there are.
ALTER TABLE eventstore.person_keys ALTER COLUMN key TYPE bytea, ALTER COLUMN key SET STATISTICS 0;
ALTER TABLE payment_links ALTER COLUMN url TYPE text, ALTER COLUMN url SET STATISTICS 0;

-- The folder of photos that belongs to this shop has a file that says so. Without a row no process has put it there yet.
CREATE TABLE photo_folder (
    one  boolean     PRIMARY KEY DEFAULT true,
    mark text        NOT NULL,
    at   timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT there_is_one_folder CHECK (one)
);
