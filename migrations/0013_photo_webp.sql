-- Photos are kept as WebP beside JPEG; those stored before are not.
ALTER TABLE photos ADD COLUMN webp boolean NOT NULL DEFAULT false;
