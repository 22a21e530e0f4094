-- An authenticator's secret is sealed with a key of the shop: a nonce of 12 bytes, the 20 of the secret, a tag of 16. SQL cannot
-- seal those of before; the program does when it starts, and until then nothing else of their rows can change.
ALTER TABLE staff_accounts ADD CONSTRAINT authenticators_are_sealed CHECK (octet_length(totp) = 48) NOT VALID;
