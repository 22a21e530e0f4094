-- Photos that people sent. The files stand in the blob store under the photo's id, a digest of its largest picture; here
-- stands whose they are, so that files of which nobody knows any more can go.
CREATE TABLE photos (
    id     uuid PRIMARY KEY,
    -- Pixels of the largest picture.
    width  integer NOT NULL,
    height integer NOT NULL,
    CONSTRAINT photos_have_a_size CHECK (width > 0 AND height > 0)
);

-- owner is the review or customer that shows the photo. Two people may send the same one.
CREATE TABLE photo_owners (
    photo    uuid        NOT NULL REFERENCES photos ON DELETE CASCADE,
    owner    uuid        NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now(),
    -- kept: the log was seen to hold it. Until then it may be of a request that came to nothing.
    kept     boolean     NOT NULL DEFAULT false,
    CONSTRAINT one_row_per_photo_and_owner PRIMARY KEY (photo, owner)
);
CREATE INDEX photo_owners_not_kept ON photo_owners (added_at) WHERE NOT kept;
